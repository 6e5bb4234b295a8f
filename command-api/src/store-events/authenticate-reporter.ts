import { createHash, timingSafeEqual } from 'node:crypto'
import { connectors, connectorsStream, Refused } from '@tidings/domain'
import { RequestRefused, shownSession } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'

const SLUG_OR_UUID = /^[a-z0-9-]{1,36}$/
const MAX_SECRET = 255

const unauthorized = (message: string): RequestRefused => new RequestRefused({ status: 401, message })

/**
 * Sets the workspace that `X-Sender-Tenant` names, for a connector of it whose secret is in `X-Connector-Secret`. Runs before validation,
 * like the check of API keys (M18). Asks the log, so that another secret takes effect at once. Throws 401, or 403 where the workspace is not active.
 */
async function authenticateConnector({ directory, commands }: Dependencies, request: FastifyRequest): Promise<void> {
  const { 'x-sender-tenant': reference, 'x-connector-secret': secret } = request.headers
  if (typeof reference !== 'string' || reference === '' || typeof secret !== 'string' || secret === '')
    throw unauthorized('Missing tenant or connector secret')
  const name = reference.toLowerCase()
  const workspace = SLUG_OR_UUID.test(name) && secret.length <= MAX_SECRET ? await directory.findWorkspace(name) : null
  if (workspace === null) throw unauthorized('Invalid connector secret')
  const { workspaceId, slug, status } = workspace
  const { state } = await commands.load({ decider: connectors, stream: connectorsStream(workspaceId), workspaceId })
  const known = connectorWith(state, secret)
  if (known === null) throw unauthorized('Invalid connector secret')
  if (status !== 'active') throw new Refused('workspace_not_active')
  request.tenant = { workspaceId, slug, status, keyId: known }
}

/** Sets who reports: a user by their session, where the request shows one and no connector's secret; else a connector (M18). */
export async function authenticateReporter(deps: Dependencies, request: FastifyRequest): Promise<void> {
  const bySession = request.headers['x-connector-secret'] === undefined && shownSession(request) !== null
  await (bySession ? deps.users.authenticate(request) : authenticateConnector(deps, request))
}

type KnownConnector = Readonly<{ connectorId: string; secret: string | null }>

/** Compares every secret by its hash, in constant time: an answer says nothing of how much of a secret is right. */
function connectorWith(all: readonly KnownConnector[], secret: string): string | null {
  const presented = sha256(secret)
  const matching = all.filter((known) => known.secret !== null && timingSafeEqual(sha256(known.secret), presented))
  return matching[0]?.connectorId ?? null
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
