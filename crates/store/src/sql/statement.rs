//! Statements and their answers.

use std::marker::PhantomData;

use super::session::Walk;
use super::value::{FromSql, Params, Value, ValueRef};
use super::{Error, Result, Session, session};

/// A statement to ask with.
pub(crate) enum Statement<'c> {
    Sqlite(rusqlite::CachedStatement<'c>),
    Postgres(&'c Session, String),
}

impl Statement<'_> {
    /// Runs it; gives how many rows it changed.
    pub fn execute<P: Params>(&mut self, params: P) -> Result<usize> {
        params.with(|values| match self {
            Self::Sqlite(statement) => {
                bind(statement, values)?;
                Ok(statement.raw_execute()?)
            }
            Self::Postgres(session, sql) => session.execute(sql, values),
        })
    }

    /// Runs it, whatever it changes. Where someone else does that it is not waited for: it is done before
    /// anything that is asked later, and what goes wrong with it is told then, at the commit at the latest.
    pub fn run<P: Params>(&mut self, params: P) -> Result<()> {
        match self {
            Self::Sqlite(_) => self.execute(params).map(drop),
            Self::Postgres(session, sql) => params.with(|values| session.run(sql, values)),
        }
    }

    /// Reads the first row of the answer; [`Error::NoRow`] when there is none.
    pub fn query_row<T, P: Params>(&mut self, params: P, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        let mut rows = self.query(params)?;
        match rows.next()? {
            Some(row) => read(&row),
            None => Err(Error::NoRow),
        }
    }

    /// Whether there is an answer.
    pub fn exists<P: Params>(&mut self, params: P) -> Result<bool> {
        Ok(self.query(params)?.next()?.is_some())
    }

    /// Reads all rows of the answer.
    pub fn query_map<T, P: Params>(
        &mut self,
        params: P,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<std::vec::IntoIter<Result<T>>> {
        let mut rows = self.query(params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(&row));
        }
        Ok(found.into_iter())
    }

    /// Reads all rows of the answer to each of many values. Where someone else answers, the next is asked before
    /// the answer to the last has come.
    pub fn query_each<T, P: Params>(
        &mut self,
        params: impl IntoIterator<Item = P>,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        match self {
            Self::Sqlite(_) => params.into_iter().map(|params| self.query_map(params, &mut read)?.collect()).collect(),
            Self::Postgres(session, sql) => {
                let kept = |params: P| params.with(|values| values.iter().map(|value| value.to_value()).collect());
                let values: Vec<Vec<Value>> = params.into_iter().map(kept).collect();
                let answers = session.query_each(sql, &values)?;
                let mut rows = |rows: Vec<_>| rows.iter().map(|row| read(&Row::Postgres(row))).collect();
                answers.into_iter().map(&mut rows).collect()
            }
        }
    }

    /// The rows of the answer, one after the other. Where someone else sends them, all are sent.
    pub fn query<P: Params>(&mut self, params: P) -> Result<Rows<'_>> {
        params.with(|values| match self {
            Self::Sqlite(statement) => {
                bind(statement, values)?;
                Ok(Rows::Sqlite(statement.raw_query()))
            }
            Self::Postgres(session, sql) => Ok(Rows::All(session.query(sql, values)?.into_iter(), None, PhantomData)),
        })
    }

    /// [`query`](Self::query) for who may stop long before the end, and usually reads so many rows. Within a
    /// transaction.
    pub fn walk<P: Params>(&mut self, params: P, usual: usize) -> Result<Rows<'_>> {
        match self {
            Self::Sqlite(_) => self.query(params),
            Self::Postgres(session, sql) => params.with(|values| Ok(Rows::Walk(session.walk(sql, values, usual)?))),
        }
    }
}

fn bind(statement: &mut rusqlite::Statement<'_>, values: &[ValueRef<'_>]) -> Result<()> {
    use rusqlite::types::{ToSqlOutput, ValueRef as Bound};
    let wanted = statement.parameter_count();
    if wanted != values.len() {
        return Err(Error::Strange(format!("{} values for a statement with {wanted}", values.len())));
    }
    for (at, value) in values.iter().enumerate() {
        let bound = match value {
            ValueRef::Null => Bound::Null,
            ValueRef::Integer(number) => Bound::Integer(*number),
            ValueRef::Real(number) => Bound::Real(*number),
            ValueRef::Text(text) => Bound::Text(text.as_bytes()),
            ValueRef::Blob(bytes) => Bound::Blob(bytes),
        };
        statement.raw_bind_parameter(at + 1, ToSqlOutput::Borrowed(bound))?;
    }
    Ok(())
}

/// Rows of an answer.
pub(crate) enum Rows<'s> {
    Sqlite(rusqlite::Rows<'s>),
    All(std::vec::IntoIter<tokio_postgres::Row>, Option<tokio_postgres::Row>, PhantomData<&'s ()>),
    Walk(Walk<'s>),
}

impl Rows<'_> {
    /// The next one.
    pub fn next(&mut self) -> Result<Option<Row<'_>>> {
        Ok(match self {
            Self::Sqlite(rows) => rows.next()?.map(Row::Sqlite),
            Self::All(rows, now, _) => {
                *now = rows.next();
                now.as_ref().map(Row::Postgres)
            }
            Self::Walk(walk) => walk.next()?.map(Row::Postgres),
        })
    }
}

/// A row of an answer.
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// The value of a column.
    pub fn get<I: Column, T: FromSql>(&self, column: I) -> Result<T> {
        let column = column.number();
        T::read(self.get_ref(column)?).map_err(|error| Error::strange(column, error))
    }

    /// The value of a column, where it is.
    pub fn get_ref(&self, column: usize) -> Result<ValueRef<'_>> {
        use rusqlite::types::ValueRef as Found;
        match self {
            Self::Sqlite(row) => Ok(match row.get_ref(column)? {
                Found::Null => ValueRef::Null,
                Found::Integer(number) => ValueRef::Integer(number),
                Found::Real(number) => ValueRef::Real(number),
                Found::Text(text) => {
                    let text = std::str::from_utf8(text);
                    ValueRef::Text(text.map_err(|error| Error::strange(column, error))?)
                }
                Found::Blob(bytes) => ValueRef::Blob(bytes),
            }),
            Self::Postgres(row) => session::read(row, column),
        }
    }
}

/// The place of a column.
pub(crate) trait Column {
    fn number(self) -> usize;
}

impl Column for usize {
    fn number(self) -> usize {
        self
    }
}
