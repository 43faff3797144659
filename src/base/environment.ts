/** The environment variables of a program. */

/** The values of environment variables by name. Variables that aren't set are undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;
