//! Macros: their iteration, and fast paths for common forms.

use super::eval::Scope;
use super::outcome::{Failure, Outcome, no_truth};
use super::value::{Blank, Val};
use cel::common::ast::{ComprehensionExpr, Expr, operators};
use cel::parser::Expression as Ast;
use std::rc::Rc;

/// The steps that an item of `all` or `exists` takes besides those of its condition.
const JUDGING: u64 = 4;

impl<'a> Scope<'a> {
    /// The items that a macro goes through: those of a list, the keys of a map, and what there may be besides.
    pub(super) fn range(&mut self, range: &Val<'a>) -> Result<Vec<Val<'a>>, Failure> {
        let mut items = match range {
            Val::Component(component) => {
                let map = component.value.as_map();
                map.iter().flat_map(|map| map.keys()).map(|key| Val::Text(key)).collect()
            }
            _ => match (range.items(), range.entries()) {
                (Some(items), _) => items,
                (None, Some(entries)) => entries.into_iter().map(|(key, _)| key).collect(),
                (None, None) => {
                    return Err(Failure::Wrong(format!("a {} has no items to iterate over", range.type_name())));
                }
            },
        };
        items.extend(range.besides().map(|blank| Val::Perhaps(Rc::new(Val::Unknown(blank.clone())), blank)));
        self.steps.take(items.len() as u64)?;
        Ok(items)
    }

    pub(super) fn comprehension(&mut self, all: &'a ComprehensionExpr) -> Outcome<'a> {
        let range = self.eval(&all.iter_range)?;
        if let Val::Unknown(blank) = range {
            return Ok(Val::Unknown(blank));
        }
        let items = self.range(&range)?;
        let accumulated = self.eval(&all.accu_init)?;
        let slot = self.bound.len();
        self.bound.push((&all.accu_var, Ok(accumulated)));
        let result = self.fold(all, items, slot);
        self.bound.truncate(slot);
        result
    }

    fn fold(&mut self, all: &'a ComprehensionExpr, items: Vec<Val<'a>>, slot: usize) -> Outcome<'a> {
        if let Some(judged) = Judged::of(all) {
            return self.judge(&judged, &all.iter_var, items, slot, all);
        }
        let collected = Collected::of(all);
        if let (None, Some(Val::Perhaps(_, blank))) =
            (&collected, items.iter().find(|item| matches!(item, Val::Perhaps(..))))
        {
            return Ok(Val::Unknown(blank.clone()));
        }
        let mut made: Vec<Val<'a>> = Vec::new();
        for item in items {
            if let Val::Bool(false) = self.eval(&all.loop_cond)? {
                break;
            }
            let (item, perhaps) = item.if_there();
            self.bound.push((&all.iter_var, Ok(item)));
            let step = match &collected {
                Some(collected) => self.collect(collected, perhaps, &mut made),
                None => self.eval(&all.loop_step).map(Some),
            };
            self.bound.truncate(slot + 1);
            match step {
                Err(Failure::Exceeded) => return Err(Failure::Exceeded),
                Err(failure) if collected.is_some() => return Err(failure),
                Ok(None) => {}
                step => self.bound[slot].1 = step.map(|value| value.unwrap_or(Val::Null)),
            }
        }
        if collected.is_some() {
            self.bound[slot].1 = Ok(Val::List(Rc::new(made)));
        }
        self.eval(&all.result)
    }

    /// A step of `map` or `filter`, for an item that is perhaps not there.
    fn collect(
        &mut self,
        collected: &Collected<'a>,
        perhaps: Option<Blank<'a>>,
        made: &mut Vec<Val<'a>>,
    ) -> Result<Option<Val<'a>>, Failure> {
        if let Some(condition) = collected.condition {
            match self.eval(condition)? {
                Val::Bool(true) => {}
                Val::Bool(false) => return Ok(None),
                // What follows may hold for it and not be asked about it.
                Val::Unknown(blank) => {
                    made.push(Val::Perhaps(Rc::new(Val::Unknown(blank.clone())), blank));
                    return Ok(None);
                }
                other => return Err(no_truth(&other)),
            }
        }
        let item = self.eval(collected.item)?;
        made.push(match perhaps {
            Some(blank) => Val::Perhaps(Rc::new(item), blank),
            None => item,
        });
        Ok(None)
    }

    /// Goes through the items of `all` or `exists` until one decides.
    fn judge(
        &mut self,
        judged: &Judged<'a>,
        variable: &'a str,
        items: Vec<Val<'a>>,
        slot: usize,
        all: &'a ComprehensionExpr,
    ) -> Outcome<'a> {
        for item in items {
            self.steps.take(JUDGING)?;
            let so_far = std::mem::replace(&mut self.bound[slot].1, Ok(Val::Null));
            if let Ok(Val::Bool(b)) = so_far
                && b == judged.decisive
            {
                self.bound[slot].1 = so_far;
                break;
            }
            let (item, perhaps) = item.if_there();
            self.bound.push((variable, Ok(item)));
            let step = self.logic_after(so_far, judged.condition, judged.decisive);
            self.bound.truncate(slot + 1);
            // An item that breaks a rule breaks it if it is there; one that fulfills it may not be there.
            let step = match (step, perhaps) {
                (Ok(Val::Bool(true)), Some(blank)) if judged.decisive => Ok(Val::Unknown(blank)),
                (step, _) => step,
            };
            if matches!(step, Err(Failure::Exceeded)) {
                return step;
            }
            self.bound[slot].1 = step;
        }
        self.eval(&all.result)
    }
}

/// The accumulated result of `all` and `exists`: `all` is decided by false, `exists` by true.
struct Judged<'a> {
    condition: &'a Ast,
    decisive: bool,
}

impl<'a> Judged<'a> {
    fn of(all: &'a ComprehensionExpr) -> Option<Judged<'a>> {
        let (Expr::Call(step), Expr::Call(go_on)) = (&all.loop_step.expr, &all.loop_cond.expr) else { return None };
        let decisive = match step.func_name.as_str() {
            operators::LOGICAL_AND => false,
            operators::LOGICAL_OR => true,
            _ => return None,
        };
        let [so_far, condition] = &step.args[..] else { return None };
        let is_so_far = |ast: &Ast| is_variable(ast, &all.accu_var);
        let goes_on = go_on.func_name == operators::NOT_STRICTLY_FALSE
            && match (&go_on.args[..], decisive) {
                ([asked], false) => is_so_far(asked),
                ([asked], true) => match &asked.expr {
                    Expr::Call(not) if not.func_name == operators::LOGICAL_NOT => {
                        matches!(&not.args[..], [asked] if is_so_far(asked))
                    }
                    _ => false,
                },
                _ => false,
            };
        (goes_on && is_so_far(so_far)).then_some(Judged { condition, decisive })
    }
}

fn is_variable(ast: &Ast, name: &str) -> bool {
    matches!(&ast.expr, Expr::Ident(variable) if variable == name)
}

/// The items collected by `map` and `filter`, so that the list is not copied with every item.
struct Collected<'a> {
    condition: Option<&'a Ast>,
    item: &'a Ast,
}

impl<'a> Collected<'a> {
    fn of(all: &'a ComprehensionExpr) -> Option<Collected<'a>> {
        let is_accumulated = |ast: &Ast| is_variable(ast, &all.accu_var);
        let added = |ast: &'a Ast| match &ast.expr {
            Expr::Call(call) if call.func_name == operators::ADD => match &call.args[..] {
                [list, item] if is_accumulated(list) => match &item.expr {
                    Expr::List(list) => list.elements.first(),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        if let Some(item) = added(&all.loop_step) {
            return Some(Collected { condition: None, item });
        }
        match &all.loop_step.expr {
            Expr::Call(call) if call.func_name == operators::CONDITIONAL => match &call.args[..] {
                [condition, yes, no] if is_accumulated(no) => {
                    Some(Collected { condition: Some(condition), item: added(yes)? })
                }
                _ => None,
            },
            _ => None,
        }
    }
}
