/** Of which resources the records can be declared. */
import type { Api } from '../../contract/api.ts';
import { manifestFields } from '../../manifest/declared/fields.ts';
import type { Offer } from '../flags/resource-flag.ts';

export function declarable({ collections }: Api): Offer {
  return {
    among: collections.filter((resource) => manifestFields(resource).size > 0),
    why: ({ nouns }) => `The API has no way to write ${nouns}, so they can’t be declared.`,
  };
}
