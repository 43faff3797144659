/** Values that are made when they are first asked for: what a command doesn't touch costs it nothing. */

/** Makes the value at the first call, and answers the same one ever after. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
