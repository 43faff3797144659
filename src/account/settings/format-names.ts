/** The names of the output formats. `cli/terminal/formats` has a file for each. */

/** All output formats, in the order of the help text. */
export const formatNames = ['table', 'json', 'ndjson', 'csv', 'yaml', 'markdown', 'compact', 'id'] as const;

export type FormatName = (typeof formatNames)[number];
