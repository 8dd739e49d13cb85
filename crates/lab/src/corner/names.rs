//! A name server that turns: a name is in the corner until a page was asked for under it, and at an address inside
//! a private network ever after.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;

use tokio::net::UdpSocket;

use super::{Requests, TURNING, is_asked};
use crate::host::DOMAIN;

/// Where the name leads once it has turned.
const INSIDE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 7);
/// What comes before the question, and how it ends: kind and class.
const HEADER: usize = 12;
const KIND: usize = 4;
/// An address, and the internet.
const A: [u8; KIND] = [0, 1, 0, 1];

/// Answers until it is dropped.
pub(super) async fn serve(socket: UdpSocket, corner: SocketAddr, requests: Requests) -> io::Result<()> {
    let mut question = [0; 512];
    loop {
        let (length, from) = socket.recv_from(&mut question).await?;
        let Some((name, asked)) = question.get(..length).and_then(read) else { continue };
        let here = match corner.ip() {
            std::net::IpAddr::V4(here) if !is_asked(&requests, TURNING) => here,
            _ => INSIDE,
        };
        let known = name.strip_suffix(DOMAIN).is_some_and(|name| name == "turning.names.");
        socket.send_to(&answer(&question[..asked.end], known, here), from).await?;
    }
}

/// The name that is asked for, and where the question is.
fn read(message: &[u8]) -> Option<(String, Range<usize>)> {
    let mut at = HEADER;
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(message.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
    message.get(at..at + KIND)?;
    Some((labels.join("."), HEADER..at + KIND))
}

/// The answer to a message that ends with its question: the address, nothing for other kinds, or no such name.
fn answer(question: &[u8], known: bool, address: Ipv4Addr) -> Vec<u8> {
    let has_address = known && question.ends_with(&A);
    // An answer, with recursion; three is that there is no such name.
    let flags = [0x81, if known { 0x80 } else { 0x83 }];
    let counts = [0, 1, 0, u8::from(has_address), 0, 0, 0, 0];
    let mut out = [&question[..2], &flags, &counts, &question[HEADER..]].concat();
    if has_address {
        // The name of the question, its kind, a life of no time, four bytes.
        out.extend([&[0xc0, HEADER as u8], &A[..], &[0, 0, 0, 0, 0, 4], &address.octets()].concat());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question for a name, of a kind.
    fn question(name: &str, kind: u8) -> Vec<u8> {
        let mut message = vec![7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            message.push(label.len() as u8);
            message.extend(label.as_bytes());
        }
        message.extend([0, 0, kind, 0, 1]);
        message
    }

    #[test]
    fn a_question_is_read_and_answered() {
        let asked = question("Turning.names.lab.test", 1);
        let (name, range) = read(&asked).unwrap();
        assert_eq!((name.as_str(), range.end), ("turning.names.lab.test", asked.len()));
        let told = answer(&asked, true, INSIDE);
        assert!(told.starts_with(&[7, 9, 0x81, 0x80]) && told.ends_with(&INSIDE.octets()));
        assert_eq!(answer(&question("turning.names.lab.test", 28), true, INSIDE)[7], 0);
        assert_eq!(answer(&asked, false, INSIDE)[3], 0x83);
        for length in 0..asked.len() {
            assert_eq!(read(&asked[..length]), None, "{length}");
        }
    }
}
