/** The environment variables of a program. */

/** The values of environment variables by name; undefined for a variable that isn't set. */
export type Environment = Readonly<Record<string, string | undefined>>;
