import { BlockList, isIP, isIPv6 } from 'node:net'
import type { App } from '@tidings/http'
import { sendPage } from '../dashboard/page-answers.ts'
import type { Dependencies } from '../dependencies.ts'
import { publicRoute } from '../mail-links/public-route.ts'
import { clearDevOutbox } from './clear-outbox.route.ts'
import { listDevOutbox } from './list-outbox.route.ts'
import { showOutboxHtml } from './outbox-html.route.ts'
import { reportDevOutbox } from './report-outbox.route.ts'

type Settings = Readonly<{ publicUrl: string; withPages: boolean }>

/** The development outbox (O5), for callers on the machine of a process outside production; register it at the root. `withPages`: there is a dashboard. */
export function devOutbox(deps: Dependencies, { publicUrl, withPages }: Settings) {
  return async (app: App): Promise<void> => {
    onlyForThisMachine(app, publicUrl)
    listDevOutbox(app, { pool: deps.pool, publicUrl, withPages })
    for (const route of [reportDevOutbox, clearDevOutbox, showOutboxHtml]) route(app, deps)
    if (withPages) app.get('/dev/mailbox', publicRoute, (_, reply) => sendPage(reply, publicUrl))
  }
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const isLoopback = (address: string = ''): boolean => isIP(address) !== 0 && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

const isLoopbackName = (hostname: string): boolean =>
  /^(.+\.)?localhost$/.test(hostname) || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))

/** The host in lower case, without its port; null if it is no host. */
const hostnameOf = (host: string): string | null => {
  const address = `http://${host}`
  return /^[^\s/?#@\\]+$/.test(host) && URL.canParse(address) ? new URL(address).hostname : null
}

/**
 * Routes of this plugin are unknown to callers of other machines. The connection has to come from this machine, and so has the caller for
 * whom a trusted proxy forwards: a header that is not a trusted proxy's counts for nothing, and one whose client is hidden is of another machine. The request has to name this machine, or the
 * service by its public address, as its host: a browser also connects for a page whose own name resolves to 127.0.0.1.
 */
export function onlyForThisMachine(app: App, publicUrl: string): void {
  const ours = new URL(publicUrl).hostname
  app.addHook('onRequest', (request, reply, done) => {
    const hostname = hostnameOf(request.headers.host ?? '')
    const isNamed = hostname !== null && (isLoopbackName(hostname) || hostname === ours)
    if (isNamed && isLoopback(request.socket.remoteAddress) && request.client.isNamed && isLoopback(request.client.address)) return done()
    reply.callNotFound()
  })
}
