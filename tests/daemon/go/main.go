// main.go - a client in Go, of code that protoc-gen-go and protoc-gen-go-grpc made from public.proto, as storage
// providers' software has it.
//
// client SOCKET: each line on standard input is a ProveRequest in protobuf's JSON form; each line of the answer is its
// ProveResponse. In the end the status, in a line of its own.
//
// SPDX-License-Identifier: Apache-2.0 OR MIT
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"

	"cuzkclient/cuzkv1"
)

const messageLimit = 256 << 20

func run(socket string) error {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageLimit), grpc.MaxCallSendMsgSize(messageLimit)))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	engine := cuzkv1.NewProvingEngineClient(conn)
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var request cuzkv1.ProveRequest
		if err := protojson.Unmarshal(line, &request); err != nil {
			return err
		}
		response, err := engine.Prove(ctx, &request)
		if err != nil {
			return err
		}
		fmt.Println(protojson.MarshalOptions{UseEnumNumbers: true}.Format(response))
	}
	status, err := engine.GetStatus(ctx, &cuzkv1.GetStatusRequest{})
	if err != nil {
		return err
	}
	fmt.Println(protojson.MarshalOptions{EmitUnpopulated: true}.Format(status))
	return nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
