//! What `moved`, `removed` and `import` blocks name.

use super::Check;
use crate::hcl::ast::{Attribute, Block, walk};
use crate::terraform::module::declarations::steps::{Target, steps, target};

impl Check<'_> {
    /// The address that an argument is, or a report of why it is none. In JSON it is a text.
    fn target(&mut self, attribute: &Attribute, computed: bool) -> Option<Target> {
        let span = attribute.expr.span;
        let Some(found) = steps(&attribute.expr, self.quoted) else {
            self.wrong(span, "invalid address: the address of a resource or of a module is required, without quotes");
            return None;
        };
        match target(&found) {
            Ok(target) if target.is_computed && !computed => {
                self.wrong(span, "invalid address: its keys are literals");
                None
            }
            Ok(target) => Some(target),
            Err(why) => {
                self.wrong(span, format!("invalid address: {why}"));
                None
            }
        }
    }

    pub(super) fn moved(&mut self, block: &Block) {
        self.required(block, &["from", "to"]);
        let ends = ["from", "to"].map(|name| block.body.get(name).and_then(|end| self.target(end, false)));
        for name in ["from", "to"] {
            let [from, to] = &ends;
            let end = if name == "from" { from } else { to };
            if let Some(attribute) = block.body.get(name)
                && end.as_ref().is_some_and(|target| target.mode == Some("ephemeral"))
            {
                self.wrong(attribute.expr.span, "invalid \"moved\" address: ephemeral resources have no state");
            }
        }
        if let [Some(from), Some(to)] = &ends
            && from.is_module != to.is_module
        {
            let message = "invalid \"moved\" addresses: both must be resources, or both modules";
            self.wrong(block.header(), message);
        }
    }

    pub(super) fn removed(&mut self, block: &Block) {
        self.required(block, &["from"]);
        let target = block.body.get("from").and_then(|from| Some((from.expr.span, self.target(from, false)?)));
        match &target {
            Some((span, target)) if target.has_key => {
                let message = "invalid \"removed\" address: a single instance cannot be removed, only all of them";
                self.wrong(*span, message);
            }
            Some((span, target)) if target.mode.is_some() => {
                let message = "invalid \"removed\" address: data sources and ephemeral resources are not destroyed";
                self.wrong(*span, message);
            }
            _ => {}
        }
        block.body.blocks_of("lifecycle").for_each(|lifecycle| self.flags(&lifecycle.body, &["destroy"]));
        for provisioner in block.body.blocks_of("provisioner") {
            self.provisioner(provisioner, None);
            let when = provisioner.body.get("when").and_then(|when| walk::name(&when.expr));
            if when != Some("destroy") {
                let message = "invalid \"removed.provisioner\" block: it needs when = destroy, as nothing is created";
                self.wrong(provisioner.header(), message);
            } else if target.as_ref().is_some_and(|(_, target)| target.is_module) {
                let message = "invalid \"removed\" block: a module has no provisioners";
                self.wrong(provisioner.header(), message);
            }
        }
    }

    pub(super) fn import(&mut self, block: &Block) {
        self.required(block, &["to"]);
        match (block.body.get("id"), block.body.get("identity")) {
            (None, None) => self.required(block, &["id"]),
            (Some(_), Some(identity)) => {
                let message = "conflicting import arguments: only one of \"id\" and \"identity\" says what is imported";
                self.wrong(identity.name.span, message);
            }
            _ => {}
        }
        let to = block.body.get("to").and_then(|to| Some((to.expr.span, self.target(to, true)?)));
        if let Some((span, target)) = to.as_ref().filter(|(_, target)| target.is_module || target.mode.is_some()) {
            let found = target.mode.map_or_else(|| "module".to_owned(), |mode| format!("{mode} block"));
            let message = format!("invalid address: an instance of a managed resource is required, and not a {found}");
            self.wrong(*span, message);
        }
        if let Some(provider) = block.body.get("provider") {
            self.provider_reference(&provider.expr);
            if to.is_some_and(|(_, target)| target.in_module) {
                let message =
                    "invalid import provider argument: what is imported into a module has the provider of the module";
                self.wrong(provider.name.span, message);
            }
        }
    }
}
