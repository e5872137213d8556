//! The operators of the expression language, with how tightly they bind and how many operands they take.

use super::node::Id;
use std::rc::Rc;

/// How a merge or a path creates and overwrites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MergePrefs {
    pub(super) append: bool,
    pub(super) deep_lists: bool,
    pub(super) existing_only: bool,
    pub(super) only_null: bool,
    pub(super) globs: bool,
}

/// How a path step reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StepPrefs {
    pub(super) optional: bool,
    pub(super) no_create: bool,
    pub(super) exact: bool,
    pub(super) keys: bool,
    pub(super) no_values: bool,
}

/// A step of a path: a key or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(Rc<str>),
    Index(i64),
}

/// The output format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Yaml,
    Json,
    Base64,
    Uri,
    Sh,
}

/// An operator.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Or,
    And,
    Reduce,
    Block,
    Union,
    Pipe,
    ShortPipe,
    Assign {
        update: bool,
        only_null: bool,
    },
    AddAssign,
    SubtractAssign,
    MultiplyAssign(MergePrefs),
    AssignAttributes {
        only_null: bool,
    },
    AssignVariable {
        reference: bool,
    },
    AssignTag {
        update: bool,
    },
    AssignStyle {
        update: bool,
    },
    /// Comments are not seen in the data.
    AssignLook,
    Equals {
        flip: bool,
    },
    Compare {
        or_equal: bool,
        greater: bool,
    },
    Min,
    Max,
    CreateMap,
    Length,
    Alias(&'static str),
    Collect,
    CollectObject,
    Map,
    Filter,
    Error,
    Pick,
    Omit,
    Eval,
    MapValues,
    Encode(Format, usize),
    Any,
    All,
    AnyC,
    AllC,
    Contains,
    ToEntries,
    FromEntries,
    WithEntries,
    With,
    Variable(Rc<str>),
    Tag,
    Kind,
    Key,
    IsKey,
    Parent(i64),
    Parents,
    Path,
    SetPath,
    DelPaths,
    SortBy,
    First,
    Reverse,
    Sort,
    SortKeys,
    Join,
    Substitute,
    Match,
    Capture,
    Test,
    Split,
    Case {
        upper: bool,
    },
    Trim,
    ToText,
    Text(Rc<str>),
    Keys,
    Step(Step, StepPrefs),
    Indices {
        optional: bool,
    },
    Itself,
    Scalar {
        tag: &'static str,
        text: Rc<str>,
    },
    Reference(Id),
    Not,
    ToNumber,
    Empty,
    Descend {
        keys: bool,
    },
    Select,
    Has,
    Unique,
    UniqueBy,
    GroupBy,
    Flatten(i64),
    Delete,
    Multiply(MergePrefs),
    Divide,
    Modulo,
    Add,
    Subtract,
    Alternative,
    Explode,
    Pivot,
    /// Known to the real language but not evaluated here; the name and how many operands it takes.
    Unsupported(&'static str, u8),
    UnsupportedSetter(&'static str),
}

impl Op {
    /// The number of operands.
    pub(super) fn operands(&self) -> u8 {
        use Op::*;
        match self {
            Or | And | Reduce | Block | Union | Pipe | ShortPipe | Assign { .. } | AddAssign | SubtractAssign => 2,
            MultiplyAssign(_)
            | AssignAttributes { .. }
            | AssignVariable { .. }
            | AssignTag { .. }
            | AssignStyle { .. }
            | AssignLook => 2,
            UnsupportedSetter(_) | Equals { .. } | Compare { .. } | CreateMap | Indices { .. } => 2,
            Multiply(_) | Divide | Modulo | Add | Subtract | Alternative => 2,
            Collect | Map | Filter | Error | Pick | Omit | Eval | MapValues | Contains | AnyC | AllC => 1,
            WithEntries | With | SetPath | DelPaths | SortBy | First | SortKeys | Join | Substitute | Match => 1,
            Capture | Test | Split | Select | Has | UniqueBy | GroupBy | Delete | Explode => 1,
            Unsupported(_, n) => *n,
            _ => 0,
        }
    }

    /// How tightly it binds; of equal ones the right one binds first.
    pub(super) fn precedence(&self) -> u8 {
        use Op::*;
        match self {
            Block | Union => 10,
            CreateMap => 15,
            Or | And => 20,
            Pipe => 30,
            Reduce => 35,
            Assign { .. } | AddAssign | SubtractAssign | AssignAttributes { .. } | AssignVariable { .. } => 40,
            AssignTag { .. } | AssignStyle { .. } | AssignLook | UnsupportedSetter(_) => 40,
            Equals { .. } | Compare { .. } | Min | Max | Delete => 40,
            MultiplyAssign(_) | Multiply(_) | Divide | Modulo | Add | Subtract | Alternative => 42,
            ShortPipe => 45,
            Map | Filter | Pick | Omit | Eval | MapValues | ToEntries | With | Path | DelPaths | Explode => 52,
            SortBy | First | Reverse | Sort | SortKeys | Split | Keys | Select | Unique | UniqueBy => 52,
            GroupBy | Flatten(_) | Pivot => 52,
            Unsupported("load" | "load_str" | "env" | "split_doc" | "shuffle", _) => 52,
            Variable(_) | Step(..) | Itself => 55,
            _ => 50,
        }
    }

    /// Whether a path may follow directly, as in `keys[0]`.
    pub(super) fn takes_path(&self) -> bool {
        use Op::*;
        let is_step = matches!(self, Variable(_) | Step(..) | Parent(_));
        let is_known = !matches!(self, Itself | Unsupported("load_str", _)) && self.precedence() == 52;
        is_step || is_known
    }

    /// The setter that this getter becomes when a `=` or `|=` follows.
    pub(super) fn setter(&self, update: bool) -> Option<Op> {
        match self {
            Op::Tag => Some(Op::AssignTag { update }),
            Op::Unsupported("style", _) => Some(Op::AssignStyle { update }),
            Op::Unsupported("line_comment" | "head_comment" | "foot_comment", _) => Some(Op::AssignLook),
            Op::Unsupported("anchor", _) => Some(Op::UnsupportedSetter("anchor")),
            Op::Unsupported("alias", _) => Some(Op::UnsupportedSetter("alias")),
            _ => None,
        }
    }
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) op: Op,
    pub(super) lhs: Option<Rc<Expr>>,
    pub(super) rhs: Option<Rc<Expr>>,
}

impl Expr {
    pub(super) fn leaf(op: Op) -> Rc<Expr> {
        Rc::new(Expr { op, lhs: None, rhs: None })
    }

    pub(super) fn binary(op: Op, lhs: Rc<Expr>, rhs: Rc<Expr>) -> Rc<Expr> {
        Rc::new(Expr { op, lhs: Some(lhs), rhs: Some(rhs) })
    }
}
