//go:build tools

// tools.go - what makes the code, so that go.mod names its version.
// SPDX-License-Identifier: Apache-2.0 OR MIT
package main

import (
	_ "google.golang.org/grpc/cmd/protoc-gen-go-grpc"
	_ "google.golang.org/protobuf/cmd/protoc-gen-go"
)
