/** Builds the page of `boh skill`: what a coding agent needs to know, from the contract. */
import type { Api } from '../../api/contract/api.ts';
import { operations } from '../../api/contract/operation.ts';
import { failureCategories } from '../../api/reference/failure-categories.ts';

/** Returns the page as Markdown, with at most 100 lines. */
export function skillPage(api: Api): string {
  const resources = api.resources.map((resource) => {
    const verbs = operations(resource).map(({ verb }) => verb);
    return `- ${resource.command}: ${verbs.join(' ')}`;
  });
  const codes = failureCategories.map(
    ({ category, exit_code, when }) => `- ${exit_code} ${category}: ${when}`,
  );
  return `# boh: the back office of a restaurant, for agents
Try everything without an account: add --sandbox (a demo business on this machine).

## Grammar
boh [flags] RESOURCE VERB [ID...] [flags]
- Fields and filters are flags in kebab case: --dial-code 966. Lists: --tags A,B. Any JSON body: --data JSON.
- Clear a field: --clear FIELD. Other filters: --filter KEY=VALUE. Part of a list: --limit N, --page N.
- Names instead of IDs: @NAME or @FIELD:VALUE, in arguments and flags. Quotes for commas: '@"A, B"'.
- Find a record in all lists: boh find TEXT. What a field or error means: boh explain NAME.

## Output
- Results are on stdout, everything else on stderr. Your default is -o compact; use -o json to parse.
- --columns a,b.name chooses columns, --query EXPR applies JMESPath, --output-text FIELD prints raw lines.
- One ID prints one object; several IDs or - print a list. -q prints only failures of writes.
- JSON Schemas: boh schema RESOURCE, boh schema output NAME.

## Change safely
1. --dry-run shows the requests or rows that would be sent, and sends nothing.
2. Many records: boh RESOURCE import FILE --key FIELD, or VERB --where FILTER=VALUE. Add --out FILE to save the plan;
   a person reviews it; boh apply --plan FILE sends it, unless records have changed.
3. Declared files: boh plan PATH, then boh apply PATH. boh pull writes the account to files.
4. After a mistake: boh history, boh undo N, boh undo --last. Never repeat a write whose outcome is "unknown": look first.
5. After an interruption: boh runs list, boh runs resume ID.

## What needs a person
- Signing in (boh auth login), tokens and secrets: never ask for them, never print them.
- Deletes and changes of several records need --yes. Ask the user before you add it.
- Irreversible effects are announced ("can't be undone"): report them before you continue.
- Protected profiles ask for the name of the business.

## Exit codes
The last line of stderr is JSON: {"error": {"category", "exit_code", "message", "fields", "hint", "outcome"}}. Follow "hint".
${codes.join('\n')}

## Resources and verbs
Also upsert, import and export, where the verbs allow it.
${resources.join('\n')}
`;
}
