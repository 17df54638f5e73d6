//! TPV's exceptions of `tpv.core.entities`.

use tpv_python::builtins::exceptions;
use tpv_python::exception::EXCEPTION;
use tpv_python::types::BuiltinType;

/// Declares TPV's exceptions.
macro_rules! exceptions {
    ($($(#[$doc:meta])* $id:ident = $name:literal;)*) => {
        $($(#[$doc])* pub static $id: BuiltinType = BuiltinType {
            construct: Some(|_, args| exceptions::construct(&$id, args)),
..BuiltinType::new($name, "tpv.core.entities", &EXCEPTION)
};)*
    };
}

exceptions! {
    /// `IncompatibleTagsException`
    INCOMPATIBLE_TAGS_EXCEPTION = "IncompatibleTagsException";
    /// `TryNextDestinationOrFail`
    TRY_NEXT_DESTINATION_OR_FAIL = "TryNextDestinationOrFail";
    /// `TryNextDestinationOrWait`
    TRY_NEXT_DESTINATION_OR_WAIT = "TryNextDestinationOrWait";
}
