/** What `import … from 'undici'` means in the release: a name that is missing here fails the build. */
import connect from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// `connect` is what a tunnel through a proxy is asked for with.
Object.assign(Dispatcher.prototype, { connect });

export { Agent, buildConnector, errors, ProxyAgent };
