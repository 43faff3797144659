/** Replaces `import … from 'undici'` for the proxy code, which few users need: it loads half of undici. */
import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// `connect` is the method that requests a tunnel through a proxy.
Object.assign(Dispatcher.prototype, { connect });

export { ProxyAgent };
