/** Sets the number of branches of a sandbox, because the API can't create branches. */
import { usage } from '../../base/errors.ts';
import type { Sandbox } from '../service.ts';
import { addReferences } from './from-contract.ts';

/**
 * Adds branches until there are `count`, and assigns them to the owner. Branches are removed only from an empty sandbox.
 * Throws a usage failure if the sandbox has more branches and isn't empty, because records refer to them.
 */
export function setBranchCount(sandbox: Sandbox, count: number, { isEmpty = false } = {}): void {
  const { database } = sandbox;
  const existingCount = Number(database.get('SELECT count(*) AS count FROM branches')?.count ?? 0);
  if (existingCount > count && isEmpty) {
    const extraBranches = 'SELECT id FROM branches ORDER BY seq LIMIT -1 OFFSET ?';
    database.write(() => {
      database.run(`DELETE FROM users_branches WHERE to_id IN (${extraBranches})`, count);
      database.run(`DELETE FROM branches WHERE id IN (${extraBranches})`, count);
    });
  } else if (existingCount > count) {
    throw usage(`The sandbox has ${existingCount} branches already; --branches can only add branches.`, {
      hint: 'To have fewer branches, reset to an empty sandbox: boh sandbox reset --empty --branches N',
    });
  }
  const newNumbers = Array.from(
    { length: Math.max(0, count - existingCount) },
    (_, index) => existingCount + index + 1,
  );
  addReferences(
    sandbox,
    newNumbers.map((number) => ({ target: 'branches', id: `branch-${number}`, name: `Branch ${number}` })),
  );
  // Clients read the names of branches from the signed-in user.
  database.write(() => {
    database.run(
      `INSERT INTO users_branches (from_id, to_id, position)
       SELECT u.id, b.id, b.seq - 1 FROM users u, branches b
       WHERE u.is_owner = 1
         AND NOT EXISTS (SELECT 1 FROM users_branches WHERE from_id = u.id AND to_id = b.id)`,
    );
  });
}
