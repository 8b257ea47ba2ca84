// What gnark-crypto needs for the sums and transforms of bench_msm and bench_ntt.
//
// usage: peers g1|g2|ntt LOG REPEATS THREADS
//
// Prints one JSON line: name, n, minimum wall time in nanoseconds.
// SPDX-License-Identifier: Apache-2.0 OR MIT
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"
)

func measure(name string, log, repeats int, run func()) {
	best := int64(math.MaxInt64)
	for r := 0; r < repeats; r++ {
		start := time.Now()
		run()
		best = min(best, time.Since(start).Nanoseconds())
	}
	fmt.Printf("{\"name\": \"gnark-crypto %s\", \"n\": %d, \"repeats\": %d, \"min_ns\": %d}\n", name, 1<<log, repeats, best)
}

func main() {
	number := func(i int) int {
		if i < len(os.Args) {
			if n, err := strconv.Atoi(os.Args[i]); err == nil && n > 0 {
				return n
			}
		}
		fmt.Fprintln(os.Stderr, "usage: peers g1|g2|ntt LOG REPEATS THREADS")
		os.Exit(2)
		return 0
	}
	log, repeats, threads := number(2), number(3), number(4)
	runtime.GOMAXPROCS(threads)
	k := make([]fr.Element, 1<<log)
	for i := range k {
		if _, err := k[i].SetRandom(); err != nil {
			panic(err)
		}
	}
	_, _, g1, g2 := bls.Generators()
	config := ecc.MultiExpConfig{NbTasks: threads}
	switch os.Args[1] {
	case "g1":
		points := bls.BatchScalarMultiplicationG1(&g1, k)
		measure("g1", log, repeats, func() {
			var sum bls.G1Jac
			if _, err := sum.MultiExp(points, k, config); err != nil {
				panic(err)
			}
		})
	case "g2":
		points := bls.BatchScalarMultiplicationG2(&g2, k)
		measure("g2", log, repeats, func() {
			var sum bls.G2Jac
			if _, err := sum.MultiExp(points, k, config); err != nil {
				panic(err)
			}
		})
	default:
		domain := fft.NewDomain(1 << log)
		measure("ntt", log, repeats, func() {
			domain.FFT(k, fft.DIF, fft.WithNbTasks(threads))
			fft.BitReverse(k)
		})
	}
}
