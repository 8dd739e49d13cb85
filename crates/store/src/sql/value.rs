//! What statements are asked with, and what they answer.

use super::{Error, Result};

/// A value that was taken along.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// A value where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ValueRef<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

impl<'a> ValueRef<'a> {
    pub fn as_str(self) -> Result<&'a str> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(Error::Strange(format!("{other:?} is no text"))),
        }
    }

    pub fn as_str_or_null(self) -> Result<Option<&'a str>> {
        match self {
            Self::Null => Ok(None),
            other => other.as_str().map(Some),
        }
    }

    pub fn as_blob(self) -> Result<&'a [u8]> {
        match self {
            Self::Blob(bytes) => Ok(bytes),
            other => Err(Error::Strange(format!("{other:?} are no bytes"))),
        }
    }

    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => Value::Integer(number),
            Self::Real(number) => Value::Real(number),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::Blob(bytes) => Value::Blob(bytes.to_vec()),
        }
    }
}

/// Something that a statement can be asked with.
pub(crate) trait ToSql {
    fn value(&self) -> ValueRef<'_>;
}

impl ToSql for Value {
    fn value(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }
    }
}

macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl ToSql for $number {
            fn value(&self) -> ValueRef<'_> {
                ValueRef::Integer(i64::from(*self))
            }
        }

        impl FromSql for $number {
            fn read(value: ValueRef<'_>) -> Result<Self> {
                let number = i64::read(value)?;
                Self::try_from(number).map_err(|_| Error::Strange(format!("{number} is out of bounds")))
            }
        }
    )*};
}

whole_numbers!(i32, u8, u16, u32);

impl ToSql for i64 {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Integer(*self)
    }
}

impl ToSql for bool {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Integer(i64::from(*self))
    }
}

impl ToSql for f64 {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Real(*self)
    }
}

impl ToSql for f32 {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Real(f64::from(*self))
    }
}

impl ToSql for str {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Text(self)
    }
}

impl ToSql for String {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Text(self)
    }
}

impl ToSql for [u8] {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Blob(self)
    }
}

impl ToSql for Vec<u8> {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Blob(self)
    }
}

impl<const N: usize> ToSql for [u8; N] {
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Blob(self)
    }
}

impl<T: ToSql + ?Sized> ToSql for &T {
    fn value(&self) -> ValueRef<'_> {
        (**self).value()
    }
}

impl<T: ToSql> ToSql for Option<T> {
    fn value(&self) -> ValueRef<'_> {
        self.as_ref().map_or(ValueRef::Null, ToSql::value)
    }
}

/// Something that a column can be read as.
pub(crate) trait FromSql: Sized {
    fn read(value: ValueRef<'_>) -> Result<Self>;
}

impl FromSql for i64 {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Integer(number) => Ok(number),
            other => Err(Error::Strange(format!("{other:?} is no whole number"))),
        }
    }
}

impl FromSql for bool {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        i64::read(value).map(|number| number != 0)
    }
}

impl FromSql for f64 {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Real(number) => Ok(number),
            ValueRef::Integer(number) => Ok(number as f64),
            other => Err(Error::Strange(format!("{other:?} is no number"))),
        }
    }
}

impl FromSql for f32 {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        f64::read(value).map(|number| number as f32)
    }
}

impl FromSql for String {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl FromSql for Vec<u8> {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        value.as_blob().map(<[u8]>::to_vec)
    }
}

impl<const N: usize> FromSql for [u8; N] {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        let bytes = value.as_blob()?;
        bytes.try_into().map_err(|_| Error::Strange(format!("{} bytes and not {N}", bytes.len())))
    }
}

impl FromSql for Value {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        Ok(value.to_value())
    }
}

impl<T: FromSql> FromSql for Option<T> {
    fn read(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Null => Ok(None),
            value => T::read(value).map(Some),
        }
    }
}

macro_rules! values {
    ($($from:ty => $kind:ident),*) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$kind(value.into())
            }
        }
    )*};
}

values!(i64 => Integer, u32 => Integer, f64 => Real, String => Text, Vec<u8> => Blob);

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The values of a statement, in the order of its places.
pub(crate) trait Params {
    /// Hands them over all at once.
    fn with<T>(&self, use_them: impl FnOnce(&[ValueRef<'_>]) -> T) -> T;
}

fn with_all<'a, T>(values: impl Iterator<Item = ValueRef<'a>>, use_them: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
    let values: Vec<ValueRef<'a>> = values.collect();
    use_them(&values)
}

impl Params for [&dyn ToSql; 0] {
    fn with<T>(&self, use_them: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
        use_them(&[])
    }
}

macro_rules! arrays {
    ($($n:literal),*) => {$(
        impl<V: ToSql> Params for [V; $n] {
            fn with<T>(&self, use_them: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
                with_all(self.iter().map(ToSql::value), use_them)
            }
        }
    )*};
}

arrays!(1, 2, 3, 4);

impl Params for &[&dyn ToSql] {
    fn with<T>(&self, use_them: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
        with_all(self.iter().map(|value| value.value()), use_them)
    }
}

/// Values that were collected.
pub(crate) struct Collected<V>(Vec<V>);

impl<V: ToSql> Params for Collected<V> {
    fn with<T>(&self, use_them: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
        with_all(self.0.iter().map(ToSql::value), use_them)
    }
}

/// Values that some list gives.
pub(crate) fn params_from_iter<I: IntoIterator>(values: I) -> Collected<I::Item>
where
    I::Item: ToSql,
{
    Collected(values.into_iter().collect())
}

/// Values of several types.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::sql::ToSql),*] as &[&dyn $crate::sql::ToSql]
    };
}
pub(crate) use params;
