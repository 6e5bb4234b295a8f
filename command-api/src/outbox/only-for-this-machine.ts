import { BlockList, isIP, isIPv6 } from 'node:net'
import type { App } from '@tidings/http'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** A forwarded address may be any text. */
const isLoopback = (address: string = ''): boolean => isIP(address) !== 0 && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * Routes of this plugin are unknown to callers of other machines. The connection has to come from this machine, and so has the caller for
 * whom a trusted proxy forwards: a header that is not a trusted proxy's counts for nothing.
 */
export function onlyForThisMachine(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isLoopback(request.socket.remoteAddress) && isLoopback(request.ip)) return done()
    reply.callNotFound()
  })
}
