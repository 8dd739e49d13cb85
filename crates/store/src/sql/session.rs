//! A connection to PostgreSQL, and the statements it knows.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::error::Error as StdError;
use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use lru::LruCache;
use tokio::runtime::Runtime;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

use super::dialect::translate;
use super::value::{ToSql as _, Value, ValueRef};
use super::{Error, Result};

/// Statements that are known, those asked last.
const STATEMENTS: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// Statements that are sent at once, at most.
const SENT: usize = 128;

/// Rows up to which someone reads a page of a list, and not most of it.
const PAGE: usize = 512;

/// Rows that any part of a walk has at most.
const LARGEST: usize = 4_096;

/// A connection that is asked on the thread it is used on: nobody else waits for the network here.
pub(crate) struct Session {
    // Dropped first, which ends the connection's task.
    client: Arc<Client>,
    statements: RefCell<LruCache<String, Statement>>,
    walks: Cell<usize>,
    /// Statements that were sent with others and not waited for.
    sent: RefCell<Vec<Answer>>,
    runtime: Runtime,
}

/// The answer to a statement that is not waited for.
type Answer = Pin<Box<dyn Future<Output = std::result::Result<u64, tokio_postgres::Error>> + Send>>;

impl Session {
    /// Connects. Blocking.
    pub fn connect(config: &Config) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Strange(format!("no thread for a connection: {error}")))?;
        let client = runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection to the database ended");
                }
            });
            Ok::<_, tokio_postgres::Error>(client)
        })?;
        let (statements, client) = (RefCell::new(LruCache::new(STATEMENTS)), Arc::new(client));
        Ok(Self { client, statements, walks: Cell::new(0), sent: RefCell::default(), runtime })
    }

    /// Whether the server is still there, as far as is known.
    pub fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// The client, for what is asked in PostgreSQL's own words.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Waits for something that is asked of the client, and for all that was sent before.
    pub fn wait<T>(&self, asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Result<T> {
        let mut sent = self.sent.take();
        Ok(self.runtime.block_on(async {
            // The first look at each sends it: the server works on them one after the other, without waiting
            // for us in between.
            let mut asked = pin!(asked);
            let (mut failed, mut answer) = (None, None);
            let answer = poll_fn(|context| {
                sent.retain_mut(|one| match one.as_mut().poll(context) {
                    Poll::Pending => true,
                    Poll::Ready(done) => {
                        // The first of them is the cause of all that follow.
                        failed = failed.take().or(done.err());
                        false
                    }
                });
                if answer.is_none()
                    && let Poll::Ready(done) = asked.as_mut().poll(context)
                {
                    answer = Some(done);
                }
                answer.take_if(|_| sent.is_empty()).map_or(Poll::Pending, Poll::Ready)
            })
            .await;
            failed.map_or(answer, Err)
        })?)
    }

    /// Sends a statement with whatever is asked next.
    pub(super) fn run(&self, sql: &str, values: &[ValueRef<'_>]) -> Result<()> {
        let statement = self.prepared(sql, values)?;
        let (client, values) = (Arc::clone(&self.client), values.iter().map(|value| value.to_value()).collect());
        self.sent.borrow_mut().push(Box::pin(execute(client, statement, values)));
        if self.sent.borrow().len() >= SENT {
            self.wait(async { Ok(()) })?;
        }
        Ok(())
    }

    /// Statements without values or answers.
    pub fn batch(&self, sql: &str) -> Result<()> {
        self.wait(self.client.batch_execute(sql))
    }

    /// A statement in PostgreSQL's own words, planned once.
    pub fn own(&self, sql: &str) -> Result<Statement> {
        if let Some(known) = self.statements.borrow_mut().get(sql) {
            return Ok(known.clone());
        }
        let made = self.wait(self.client.prepare(sql)).map_err(|error| named(error, sql))?;
        self.statements.borrow_mut().put(sql.to_owned(), made.clone());
        Ok(made)
    }

    /// A statement in SQLite's words. The first values it is asked with tell what others will be: the server
    /// cannot always.
    fn prepared(&self, sql: &str, values: &[ValueRef<'_>]) -> Result<Statement> {
        if let Some(known) = self.statements.borrow_mut().get(sql) {
            return Ok(known.clone());
        }
        let translated = translate(sql);
        let types: Vec<Type> = values.iter().map(type_of).collect();
        let made =
            self.wait(self.client.prepare_typed(&translated, &types)).map_err(|error| named(error, &translated))?;
        self.statements.borrow_mut().put(sql.to_owned(), made.clone());
        Ok(made)
    }

    pub(super) fn execute(&self, sql: &str, values: &[ValueRef<'_>]) -> Result<usize> {
        let statement = self.prepared(sql, values)?;
        let bound: Vec<Bound<'_>> = values.iter().map(|value| Bound(*value)).collect();
        let changed = self.wait(self.client.execute(&statement, &refer(&bound))).map_err(|error| named(error, sql))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub(super) fn query(&self, sql: &str, values: &[ValueRef<'_>]) -> Result<Vec<Row>> {
        let statement = self.prepared(sql, values)?;
        let bound: Vec<Bound<'_>> = values.iter().map(|value| Bound(*value)).collect();
        self.wait(self.client.query(&statement, &refer(&bound))).map_err(|error| named(error, sql))
    }

    /// The answers to a statement with each of many values: the server is not waited for in between.
    pub(super) fn query_each(&self, sql: &str, values: &[Vec<Value>]) -> Result<Vec<Vec<Row>>> {
        let Some(first) = values.first() else { return Ok(Vec::new()) };
        let first: Vec<ValueRef<'_>> = first.iter().map(Value::value).collect();
        let statement = self.prepared(sql, &first)?;
        let mut asked: Vec<Asked<'_>> =
            values.iter().map(|values| Box::pin(query(&self.client, &statement, values)) as Asked<'_>).collect();
        let answers = self.wait(async {
            let mut answers = Vec::with_capacity(asked.len());
            // The first look at each sends it.
            poll_fn(|context| {
                answers.extend(asked.iter_mut().map(|one| one.as_mut().poll(context)));
                Poll::Ready(())
            })
            .await;
            let mut read = Vec::with_capacity(asked.len());
            for (one, answer) in asked.iter_mut().zip(answers) {
                read.push(match answer {
                    Poll::Ready(rows) => rows?,
                    Poll::Pending => one.await?,
                });
            }
            Ok(read)
        });
        answers.map_err(|error| named(error, sql))
    }

    /// The rows of an answer in growing parts, as someone comes to them; in the first are so many.
    pub(super) fn walk(&self, sql: &str, values: &[ValueRef<'_>], first: usize) -> Result<Walk<'_>> {
        let number = self.walks.get();
        // What is fetched by a name has always the same columns: so it is known once it was asked.
        let mut hash = DefaultHasher::new();
        sql.hash(&mut hash);
        let name = format!("walk{number}_{:x}", hash.finish());
        // Who walks along an order stops after a page of it: a plan that is quick to its end and slow to begin would
        // cost a hundred times as much.
        let share = if first <= PAGE { "0.001" } else { "0.1" };
        self.run(&format!("SET LOCAL cursor_tuple_fraction = {share}"), &[])?;
        self.execute(&format!("DECLARE {name} NO SCROLL CURSOR FOR {sql}"), values)?;
        self.walks.set(number + 1);
        Ok(Walk {
            session: self,
            number,
            name,
            rows: VecDeque::new(),
            now: None,
            part: first.clamp(1, LARGEST),
            ended: false,
        })
    }
}

/// The answer to one of many questions.
type Asked<'a> = Pin<Box<dyn Future<Output = std::result::Result<Vec<Row>, tokio_postgres::Error>> + 'a>>;

async fn query(
    client: &Client,
    statement: &Statement,
    values: &[Value],
) -> std::result::Result<Vec<Row>, tokio_postgres::Error> {
    let bound: Vec<Bound<'_>> = values.iter().map(|value| Bound(value.value())).collect();
    client.query(statement, &refer(&bound)).await
}

async fn execute(
    client: Arc<Client>,
    statement: Statement,
    values: Vec<Value>,
) -> std::result::Result<u64, tokio_postgres::Error> {
    let bound: Vec<Bound<'_>> = values.iter().map(|value| Bound(value.value())).collect();
    client.execute(&statement, &refer(&bound)).await
}

fn type_of(value: &ValueRef<'_>) -> Type {
    match value {
        ValueRef::Null => Type::UNKNOWN,
        ValueRef::Integer(_) => Type::INT8,
        ValueRef::Real(_) => Type::FLOAT8,
        ValueRef::Text(_) => Type::TEXT,
        ValueRef::Blob(_) => Type::BYTEA,
    }
}

/// Says which statement went wrong, which the server does not.
fn named(error: Error, sql: &str) -> Error {
    if let Error::Postgres(error) = &error {
        tracing::debug!(sql, error = %super::error::told(error), "a statement failed");
    }
    error
}

/// An answer that is read in parts.
pub(crate) struct Walk<'s> {
    session: &'s Session,
    number: usize,
    name: String,
    rows: VecDeque<Row>,
    now: Option<Row>,
    part: usize,
    ended: bool,
}

impl Walk<'_> {
    pub fn next(&mut self) -> Result<Option<&Row>> {
        if self.rows.is_empty() && !self.ended {
            let rows = self.session.query(&format!("FETCH FORWARD {} FROM {}", self.part, self.name), &[])?;
            self.ended = rows.len() < self.part;
            self.part = (self.part * 2).min(LARGEST);
            self.rows = rows.into();
        }
        self.now = self.rows.pop_front();
        Ok(self.now.as_ref())
    }
}

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        self.session.walks.set(self.number);
        // A transaction that failed has none any more.
        let _ = self.session.execute(&format!("CLOSE {}", self.name), &[]);
    }
}

/// A value as PostgreSQL wants it.
#[derive(Debug)]
struct Bound<'a>(ValueRef<'a>);

fn refer<'b>(bound: &'b [Bound<'_>]) -> Vec<&'b (dyn ToSql + Sync)> {
    bound.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (self.0, wanted) {
            (ValueRef::Null, _) => return Ok(IsNull::Yes),
            (ValueRef::Integer(number), &Type::INT8) => out.extend_from_slice(&number.to_be_bytes()),
            (ValueRef::Integer(number), &Type::INT4) => out.extend_from_slice(&i32::try_from(number)?.to_be_bytes()),
            (ValueRef::Integer(number), &Type::INT2) => out.extend_from_slice(&i16::try_from(number)?.to_be_bytes()),
            (ValueRef::Integer(number), &Type::FLOAT8) => {
                out.extend_from_slice(&(number as f64).to_be_bytes());
            }
            (ValueRef::Integer(number), &Type::BOOL) => out.extend_from_slice(&[u8::from(number != 0)]),
            (ValueRef::Real(number), &Type::FLOAT8) => out.extend_from_slice(&number.to_be_bytes()),
            (ValueRef::Real(number), &Type::FLOAT4) => out.extend_from_slice(&(number as f32).to_be_bytes()),
            // PostgreSQL's texts hold no NUL.
            (ValueRef::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME) => match text.contains('\0') {
                true => out.extend_from_slice(text.replace('\0', "\u{fffd}").as_bytes()),
                false => out.extend_from_slice(text.as_bytes()),
            },
            (ValueRef::Blob(bytes), &Type::BYTEA) => out.extend_from_slice(bytes),
            (value, wanted) => return Err(format!("{value:?} for a value of type {wanted}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value as PostgreSQL sent it.
struct Sent<'a>(ValueRef<'a>);

impl<'a> FromSql<'a> for Sent<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(match *ty {
            Type::BOOL => ValueRef::Integer(i64::from(raw != [0])),
            Type::INT2 => ValueRef::Integer(i16::from_be_bytes(raw.try_into()?).into()),
            Type::INT4 => ValueRef::Integer(i32::from_be_bytes(raw.try_into()?).into()),
            Type::INT8 => ValueRef::Integer(i64::from_be_bytes(raw.try_into()?)),
            Type::FLOAT4 => ValueRef::Real(f32::from_be_bytes(raw.try_into()?).into()),
            Type::FLOAT8 => ValueRef::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::NUMERIC => whole(raw)?,
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::BPCHAR | Type::UNKNOWN => {
                ValueRef::Text(std::str::from_utf8(raw)?)
            }
            Type::BYTEA => ValueRef::Blob(raw),
            _ => return Err(format!("a value of type {ty}").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(ValueRef::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A number of any length, as sums of whole numbers are: groups of four digits, the first for the
/// largest power of ten thousand.
fn whole(raw: &[u8]) -> std::result::Result<ValueRef<'static>, Box<dyn StdError + Sync + Send>> {
    let word = |at: usize| raw.get(2 * at..2 * at + 2).map(|word| i16::from_be_bytes([word[0], word[1]]));
    let (Some(groups), Some(weight), Some(sign)) = (word(0), word(1), word(2)) else {
        return Err("a number that is cut off".into());
    };
    let mut number = 0i64;
    for group in 0..=weight.max(-1) {
        let digits = if group < groups { word(4 + group as usize).unwrap_or(0) } else { 0 };
        let next = number.checked_mul(10_000).and_then(|number| number.checked_add(digits.into()));
        number = next.ok_or("a sum that is too large")?;
    }
    Ok(ValueRef::Integer(if sign == 0 { number } else { -number }))
}

/// The value of a column.
pub(super) fn read(row: &Row, column: usize) -> Result<ValueRef<'_>> {
    Ok(row.try_get::<_, Sent<'_>>(column)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_read_whatever_their_length() {
        let number = |words: &[i16]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        for (words, expected) in [
            (&[0, 0, 0, 0][..], 0),
            (&[1, 0, 0, 0, 42], 42),
            (&[2, 1, 0x4000, 0, 1, 5], -10_005),
            (&[1, 2, 0, 0, 3], 300_000_000),
        ] {
            assert_eq!(whole(&number(words)).unwrap(), ValueRef::Integer(expected));
        }
        assert!(whole(&number(&[1, 9, 0, 0, 1])).is_err() && whole(b"").is_err());
    }
}
