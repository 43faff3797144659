/** What stands in the place of a secret, wherever one is left out of what is shown or kept. */

export const mask = '••••';
