/** The methods that `boh api` sends. */

export const apiMethods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
