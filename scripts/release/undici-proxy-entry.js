/** The same for what goes through a proxy, which few need: half of undici stands behind it. */
import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// `connect` is what a tunnel through a proxy is asked for with.
Object.assign(Dispatcher.prototype, { connect });

export { ProxyAgent };
