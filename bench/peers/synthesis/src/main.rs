//! What bellperson needs to synthesise one partition of a PoRep: the witness and A·w, B·w, C·w.
//!
//! usage: cuzk-synthesis C1 [PARTITION]
//!
//! C1: what `cuzk gen porep SIZE` writes. The prover is given parameters whose verifying key cannot be had,
//! so it stops after the synthesis; its log goes to stderr. Prints two JSON lines, one when the prover logs
//! its synthesis time and one when it asks for the key, having copied the witness out: name, sector size,
//! partition, wall and CPU seconds since the prover was called, peak resident memory. For 32GiB the peaks
//! are 16 and 20 GiB.
//! SPDX-License-Identifier: Apache-2.0 OR MIT
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::{bail, ensure, Context, Result};
use base64::{engine::general_purpose::STANDARD, Engine};
use bellperson::groth16::{create_proof_batch, ParameterSource, VerifyingKey};
use bellperson::SynthesisError;
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use filecoin_hashers::{Domain, Hasher};
use filecoin_proofs::{parameters::public_params, with_shape, DefaultPieceHasher, PoRepConfig, VanillaSealProof};
use log::{LevelFilter, Log, Metadata, Record};
use serde::Deserialize;
use storage_proofs_core::{api_version::ApiVersion, compound_proof::CompoundProof, merkle::MerkleTreeTrait};
use storage_proofs_porep::stacked::{PublicInputs, StackedCompound, Tau};

/// Wall and CPU time from the call of the prover.
struct Meter {
    size: u64,
    partition: usize,
    start: Instant,
    user: f64,
    system: f64,
}

static METER: OnceLock<Meter> = OnceLock::new();

/// User and system seconds of the process, its peak resident memory in MiB.
fn usage() -> (f64, f64, f64) {
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    // Safety: the structure is plain numbers, and the call fills it.
    let u = unsafe {
        let mut u: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut u);
        u
    };
    (seconds(u.ru_utime), seconds(u.ru_stime), u.ru_maxrss as f64 / 1024.0)
}

impl Meter {
    fn new(size: u64, partition: usize) -> Self {
        let (user, system, _) = usage();
        Meter { size, partition, start: Instant::now(), user, system }
    }

    fn report(&self, name: &str) {
        let (wall, (user, system, peak)) = (self.start.elapsed().as_secs_f64(), usage());
        let (user, system) = (user - self.user, system - self.system);
        let mut out = std::io::stdout().lock();
        let _ = writeln!(
            out,
            "{{\"name\": \"bellperson {name}\", \"sector_bytes\": {}, \"partition\": {}, \"wall_s\": {wall:.3}, \
             \"cpu_s\": {:.3}, \"user_s\": {user:.3}, \"system_s\": {system:.3}, \"peak_rss_mib\": {peak:.1}}}",
            self.size,
            self.partition,
            user + system
        );
        let _ = out.flush();
    }
}

/// Writes the log to stderr; the line that ends the synthesis ends the first measurement.
struct Logger;

impl Log for Logger {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, record: &Record) {
        let line = record.args().to_string();
        if let (true, Some(meter)) = (line.starts_with("synthesis time"), METER.get()) {
            meter.report("synthesis");
        }
        eprintln!("{} {}: {line}", record.level(), record.target());
    }

    fn flush(&self) {}
}

/// Parameters without a verifying key: the first thing the prover asks for.
struct NoParameters;

type Source<G> = (Arc<Vec<G>>, usize);
type Answer<T> = std::result::Result<T, SynthesisError>;

impl ParameterSource<Bls12> for NoParameters {
    type G1Builder = Source<G1Affine>;
    type G2Builder = Source<G2Affine>;

    fn get_vk(&self, _: usize) -> Answer<&VerifyingKey<Bls12>> {
        if let Some(meter) = METER.get() {
            meter.report("synthesis and copy");
        }
        Err(SynthesisError::MalformedVerifyingKey)
    }

    fn get_h(&self, _: usize) -> Answer<Self::G1Builder> {
        Err(SynthesisError::MalformedSrs)
    }

    fn get_l(&self, _: usize) -> Answer<Self::G1Builder> {
        Err(SynthesisError::MalformedSrs)
    }

    fn get_a(&self, _: usize, _: usize) -> Answer<(Self::G1Builder, Self::G1Builder)> {
        Err(SynthesisError::MalformedSrs)
    }

    fn get_b_g1(&self, _: usize, _: usize) -> Answer<(Self::G1Builder, Self::G1Builder)> {
        Err(SynthesisError::MalformedSrs)
    }

    fn get_b_g2(&self, _: usize, _: usize) -> Answer<(Self::G2Builder, Self::G2Builder)> {
        Err(SynthesisError::MalformedSrs)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Wrapped {
    phase1_out: String,
    sector_size: u64,
}

/// The phase-1 output; the map has the one entry of the proof's variant.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Phase1<Tree: 'static + MerkleTreeTrait> {
    vanilla_proofs: HashMap<String, Vec<Vec<VanillaSealProof<Tree>>>>,
    comm_r: [u8; 32],
    comm_d: [u8; 32],
    replica_id: <Tree::Hasher as Hasher>::Domain,
    seed: [u8; 32],
}

fn synthesise<Tree: 'static + MerkleTreeTrait>(text: Vec<u8>, size: u64, partition: usize) -> Result<()> {
    let c1: Phase1<Tree> = serde_json::from_slice(&text).context("the phase-1 output")?;
    drop(text);
    let public = PublicInputs {
        replica_id: c1.replica_id,
        tau: Some(Tau {
            comm_d: <DefaultPieceHasher as Hasher>::Domain::try_from_bytes(&c1.comm_d)?,
            comm_r: <Tree::Hasher as Hasher>::Domain::try_from_bytes(&c1.comm_r)?,
        }),
        k: None,
        seed: Some(c1.seed),
    };
    let proofs = c1.vanilla_proofs.into_values().next().context("no vanilla proofs")?;
    let proof = proofs.into_iter().nth(partition).context("no such partition")?;
    // The number and the version of the proof change challenges and labels, never the circuit.
    let parameters = public_params::<Tree>(&PoRepConfig::new_groth16(size, [0; 32], ApiVersion::V1_1_0))?;
    let circuit =
        StackedCompound::<Tree, DefaultPieceHasher>::circuit(&public, Default::default(), &proof, &parameters, None)?;
    drop(proof);

    METER.get_or_init(|| Meter::new(size, partition));
    let (r, s) = (Scalar::from(1), Scalar::from(1));
    let end = create_proof_batch::<Bls12, _, _>(vec![circuit], NoParameters, vec![r], vec![s]);
    ensure!(matches!(end, Err(SynthesisError::MalformedVerifyingKey)), "the prover did not stop at the key");
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let (file, partition) = match arguments.as_slice() {
        [_, file] => (file, 0),
        [_, file, partition] => (file, partition.parse().context("the number of a partition")?),
        _ => bail!("usage: cuzk-synthesis C1 [PARTITION]"),
    };
    log::set_logger(&Logger).map(|()| log::set_max_level(LevelFilter::Info)).expect("the first logger");
    let wrapped: Wrapped = serde_json::from_slice(&std::fs::read(file)?).context("the C1 file")?;
    let (size, text) = (wrapped.sector_size, STANDARD.decode(wrapped.phase1_out)?);
    with_shape!(size, synthesise, text, size, partition)
}
