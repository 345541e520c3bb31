use super::*;
use proptest::prelude::*;

const ITERATIONS: NonZeroU32 = NonZeroU32::new(4096).unwrap();

/// The example of RFC 7677, section 3.
#[test]
fn proofs_match_the_rfc() {
    let salt = BASE64.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
    let signed = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
                  s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    for _ in 0..2 {
        let salted = stretched("pencil", &salt, ITERATIONS);
        let (proof, server) = proofs(&salted, signed);
        assert_eq!(
            BASE64.encode(proof),
            "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert_eq!(
            BASE64.encode(server),
            "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
        );
    }
}

/// What the client says first, after the name of its mechanism.
fn start(mechanisms: &[u8], channel: &Channel) -> (Scram, String) {
    let mut out = Vec::new();
    let scram = Scram::start(mechanisms, channel, ChannelBinding::Prefer, &mut out).unwrap();
    (scram, String::from_utf8_lossy(&out[5..]).into_owned())
}

const BOTH: &[u8] = b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0";
const PLAIN: &[u8] = b"SCRAM-SHA-256\0\0";

#[test]
fn binds_to_the_channel_when_both_sides_can() {
    let bindable = Channel::Bindable(vec![1, 2, 3]);
    let said = |mechanisms, channel| start(mechanisms, channel).1;
    let bound = said(BOTH, &bindable);
    assert!(bound.starts_with("SCRAM-SHA-256-PLUS\0"), "{bound}");
    assert!(bound.contains("p=tls-server-end-point,,n=,r="), "{bound}");
    assert!(said(PLAIN, &bindable).contains("y,,n=,r="));
    assert!(said(BOTH, &Channel::Unbindable).contains("n,,n=,r="));
    assert!(said(BOTH, &Channel::Plain).starts_with("SCRAM-SHA-256\0"));
    let prefer = ChannelBinding::Prefer;
    assert!(Scram::start(b"OTHER\0\0", &Channel::Plain, prefer, &mut Vec::new()).is_err());
}

#[test]
fn a_binding_that_is_required_is_had_or_the_log_in_ends() {
    let start = |channel, offered| {
        let mut out = Vec::new();
        let result = Scram::start(offered, channel, ChannelBinding::Require, &mut out);
        result.map(|_| String::from_utf8_lossy(&out).into_owned())
    };
    let bindable = Channel::Bindable(vec![1, 2]);
    assert!(
        start(&bindable, BOTH)
            .unwrap()
            .contains("p=tls-server-end-point")
    );
    for (channel, offered, why) in [
        (&bindable, PLAIN, "does not offer"),
        (&Channel::Plain, BOTH, "not encrypted"),
        (&Channel::Unbindable, BOTH, "signature"),
    ] {
        let failure = start(channel, offered).unwrap_err();
        assert!(failure.message.contains(why), "{failure}");
    }
}

#[test]
fn a_binding_that_is_not_wanted_is_not_made() {
    let mut out = Vec::new();
    let bindable = Channel::Bindable(vec![1, 2]);
    Scram::start(BOTH, &bindable, ChannelBinding::Disable, &mut out).unwrap();
    assert!(String::from_utf8_lossy(&out).contains("n,,"));
}

#[test]
fn every_exchange_has_a_nonce_of_its_own() {
    let nonce = || start(PLAIN, &Channel::Plain).0.nonce;
    assert_ne!(nonce(), nonce());
}

#[test]
fn each_step_is_taken_once_and_in_order() {
    let (mut scram, _) = start(PLAIN, &Channel::Plain);
    let challenge = format!("r={}x,s=AAAA,i=1", scram.nonce);
    assert!(
        scram.check_server(b"v=AAAA").is_err(),
        "no proof before the challenge"
    );
    scram
        .prove(challenge.as_bytes(), "p", &mut Vec::new())
        .unwrap();
    assert!(
        scram
            .prove(challenge.as_bytes(), "p", &mut Vec::new())
            .is_err()
    );
    assert!(scram.check_done().is_err());
    let Step::Proven { server_signature } = scram.step else {
        panic!()
    };
    assert!(scram.check_server(b"v=AAAA").is_err());
    let proof = format!("v={}", BASE64.encode(server_signature));
    scram.check_server(proof.as_bytes()).unwrap();
    scram.check_done().unwrap();
}

#[test]
fn too_many_iterations_and_foreign_nonces_are_refused() {
    for challenge in [
        "r=NONCEx,s=AAAA,i=2000000",
        "r=foreign,s=AAAA,i=4096",
        "r=NONCEx,s=AAAA,i=0",
    ] {
        let (mut scram, _) = start(PLAIN, &Channel::Plain);
        let challenge = challenge.replace("NONCE", &scram.nonce);
        assert!(
            scram
                .prove(challenge.as_bytes(), "p", &mut Vec::new())
                .is_err(),
            "{challenge}"
        );
    }
}

proptest! {
    #[test]
    fn survives_any_challenge(text in "[rsi=,0-9A-Za-z]{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let (mut scram, _) = start(PLAIN, &Channel::Plain);
        let _ = scram.prove(&bytes, "p", &mut Vec::new());
        let challenge = format!("r={}{text}", scram.nonce);
        let _ = scram.prove(challenge.as_bytes(), "p", &mut Vec::new());
        let _ = scram.check_server(&bytes);
    }
}
