//! What blst and bellperson need for the sums and transforms of bench_msm and bench_ntt.
//!
//! usage: cuzk-peers g1|g2|ntt LOG REPEATS
//!
//! Threads: those of the affinity mask (taskset) for the sums, RAYON_NUM_THREADS and EC_GPU_NUM_THREADS for
//! the transforms. Prints one JSON line: name, n, minimum wall time in nanoseconds.
//! SPDX-License-Identifier: Apache-2.0 OR MIT
use std::time::Instant;

use bellperson::domain::EvaluationDomain;
use blst::*;
use blstrs::Scalar;
use ec_gpu_gen::threadpool::Worker;
use ff::Field;

/// Vigna's splitmix64, as in bench.h.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e3779b97f4a7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^ (z >> 31)
}

/// n scalars below 2^254, 32 little-endian bytes each.
fn scalars(n: usize) -> Vec<u8> {
    let mut state = 1;
    let mut bytes = vec![0u8; 32 * n];
    for word in bytes.chunks_exact_mut(8) {
        word.copy_from_slice(&random(&mut state).to_le_bytes());
    }
    for scalar in bytes.chunks_exact_mut(32) {
        scalar[31] &= 0x3f;
    }
    bytes
}

fn measure(name: &str, log: u32, repeats: usize, mut run: impl FnMut()) {
    let mut wall = u128::MAX;
    for _ in 0..repeats {
        let start = Instant::now();
        run();
        wall = wall.min(start.elapsed().as_nanos());
    }
    println!("{{\"name\": \"{name}\", \"n\": {}, \"repeats\": {repeats}, \"min_ns\": {wall}}}", 1u64 << log);
}

fn sums_g1(log: u32, repeats: usize) {
    let (n, mut points) = (1usize << log, vec![]);
    // Safety: every argument is a valid point of blst's own making.
    unsafe {
        let mut p = *blst_p1_generator();
        for i in 0..n {
            points.push(p);
            if i % 2 == 0 {
                blst_p1_double(&mut p, &p);
            } else {
                blst_p1_add_or_double_affine(&mut p, &p, blst_p1_affine_generator());
            }
        }
    }
    let (points, k) = (p1_affines::from(&points), scalars(n));
    measure("blst g1", log, repeats, || {
        std::hint::black_box(points.mult(&k, 255));
    });
}

fn sums_g2(log: u32, repeats: usize) {
    let (n, mut points) = (1usize << log, vec![]);
    // Safety: as above.
    unsafe {
        let mut p = *blst_p2_generator();
        for i in 0..n {
            points.push(p);
            if i % 2 == 0 {
                blst_p2_double(&mut p, &p);
            } else {
                blst_p2_add_or_double_affine(&mut p, &p, blst_p2_affine_generator());
            }
        }
    }
    let (points, k) = (p2_affines::from(&points), scalars(n));
    measure("blst g2", log, repeats, || {
        std::hint::black_box(points.mult(&k, 255));
    });
}

fn transforms(log: u32, repeats: usize) {
    let mut state = 1;
    let values = (0..1usize << log).map(|_| Scalar::from(random(&mut state)).square() + Scalar::ONE).collect();
    let worker = Worker::new();
    let mut domain = EvaluationDomain::from_coeffs(values).expect("a size below 2^32");
    measure("bellperson fft", log, repeats, || {
        domain.fft(&worker, &mut None).expect("on the CPU");
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse::<u32>().ok());
    match (arguments.get(1).map(String::as_str), number(2), number(3)) {
        (Some("g1"), Some(log), Some(repeats)) => sums_g1(log, repeats as usize),
        (Some("g2"), Some(log), Some(repeats)) => sums_g2(log, repeats as usize),
        (Some("ntt"), Some(log), Some(repeats)) => transforms(log, repeats as usize),
        _ => {
            eprintln!("usage: cuzk-peers g1|g2|ntt LOG REPEATS");
            std::process::exit(2);
        }
    }
}
