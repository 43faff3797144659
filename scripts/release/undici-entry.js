/** Replaces `import … from 'undici'` in the bundle. A name that is missing here fails the build. */
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Client from 'undici/lib/dispatcher/client.js';

export { buildConnector, Client, errors };
