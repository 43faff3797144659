/** The output formats by name, each loaded, with the library it needs, only when it is asked for. */
import type { Format, FormatOptions } from './shape.ts';

export type { Format, FormatOptions, Values } from './shape.ts';

export const formatNames = ['json', 'ndjson', 'csv', 'yaml', 'id'] as const;

export type FormatName = (typeof formatNames)[number];

export async function loadFormat(name: FormatName, options: FormatOptions = {}): Promise<Format> {
  switch (name) {
    case 'json':
      return (await import('./json.ts')).json(options);
    case 'ndjson':
      return (await import('./ndjson.ts')).ndjson(options);
    case 'csv':
      return (await import('./csv.ts')).csv(options);
    case 'yaml':
      return (await import('./yaml.ts')).yaml();
    case 'id':
      return (await import('./id.ts')).id(options);
  }
}
