//! A certificate for 127.0.0.1, written by hand: signed by itself, good until 2049.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

pub(crate) struct Certificate {
    der: Vec<u8>,
    pkcs8: Vec<u8>,
}

impl Certificate {
    pub(crate) fn new() -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let spki: PublicKeyX509Der<'_> = pair.public_key().as_der().unwrap();
        let algorithm = sequence(&[tagged(0x06, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])]);
        let common_name = sequence(&[tagged(0x06, &[0x55, 0x04, 0x03]), tagged(0x0c, b"loopback")]);
        let name = sequence(&[tagged(0x31, &common_name)]);
        let validity = sequence(&[tagged(0x17, b"200101000000Z"), tagged(0x17, b"491231235959Z")]);
        let address = sequence(&[tagged(0x87, &[127, 0, 0, 1])]);
        let alternative = sequence(&[tagged(0x06, &[0x55, 0x1d, 0x11]), tagged(0x04, &address)]);
        let body = sequence(&[
            tagged(0xa0, &tagged(0x02, &[2])),
            tagged(0x02, &[1]),
            algorithm.clone(),
            name.clone(),
            validity,
            name,
            spki.as_ref().to_vec(),
            tagged(0xa3, &sequence(&[alternative])),
        ]);
        let signature = pair.sign(&SystemRandom::new(), &body).unwrap();
        let signature = tagged(0x03, &[&[0], signature.as_ref()].concat());
        let pkcs8 = pair.to_pkcs8v1().unwrap().as_ref().to_vec();
        Self { der: sequence(&[body, algorithm, signature]), pkcs8 }
    }

    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(self.der.clone())).unwrap();
        roots
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![CertificateDer::from(self.der.clone())],
                PrivatePkcs8KeyDer::from(self.pkcs8.clone()).into(),
            )
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tagged(0x30, &parts.concat())
}

fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    let mut der = vec![tag];
    match length {
        [0, short @ 0..=127] => der.push(short),
        [0, byte] => der.extend([0x81, byte]),
        [high, low] => der.extend([0x82, high, low]),
    }
    der.extend_from_slice(content);
    der
}
