/** What `import … from 'undici'` means in the release: a name that is missing here fails the build. */
import request from 'undici/lib/api/api-request.js';
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

Dispatcher.prototype.request = request;

export { Agent, errors, ProxyAgent };
