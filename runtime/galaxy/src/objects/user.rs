//! The user and their roles.

use std::sync::Arc;

use super::host_object::{Fields, HostObject, host_classes, record};
use super::{stand_in, text_or_none};
use crate::job::{Further, Job};
use crate::signature;
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::PyResult;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `User`
    USER = "User" ("all_roles" => all_roles);
    /// `Role`
    ROLE = "Role" ();
}

/// The fields of `user`.
struct UserFields(Arc<Job>);

/// The user's object; `None` for an anonymous job.
pub(super) fn user(job: &Arc<Job>) -> Value {
    match job.user {
        Some(_) => HostObject::value(UserFields(job.clone())),
        None => Value::None,
    }
}

impl Fields for UserFields {
    fn class(&self) -> &'static BuiltinType {
        &USER
    }

    fn names(&self) -> &'static [&'static str] {
        if self.0.stand_in { stand_in::USER_NAMES } else { &["id", "username", "email", "extra_preferences", "roles"] }
    }

    fn further(&self) -> Option<(&Job, &Further)> {
        self.0.user.as_ref().map(|user| (&*self.0, &user.further))
    }

    fn get(&self, name: &str) -> Option<Value> {
        let user = self.0.user.as_ref()?;
        Some(match name {
            "id" => Value::Int(user.id),
            "username" => Value::str(user.username(&self.0)),
            "email" => text_or_none(&self.0, user.email),
            "extra_preferences" => user
                .extra_preferences
                .map_or_else(|| Value::dict(Dict::new()), |preferences| preferences.to_value(&self.0)),
            "roles" => {
                let roles = user.roles.iter().map(|role| {
                    let name = Value::str(self.0.text(role.name));
                    record(&ROLE, &["name", "deleted"], [name, Value::Bool(role.deleted)])
                });
                Value::list(roles.collect())
            }
            _ => return None,
        })
    }
}

/// `user.all_roles()`
fn all_roles(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = signature::bind_method(args, "User.all_roles", [], 0)?;
    vm.get_attr(this, "roles")
}
