/** Values that are made when they are first needed. */

/** Returns a function that makes a value on first use and then returns the same one. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
