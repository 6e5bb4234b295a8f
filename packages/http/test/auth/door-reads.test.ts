import { afterEach, describe, expect, it } from 'vitest'
import { sessionAuthentication } from '../../src/auth/session.ts'
import { type ReadOnce, throughSessionDoor } from '../../src/auth/session-door.ts'
import type { App } from '../../src/bare-app.ts'
import { createApp } from '../../src/create-app.ts'
import { credentials, workspaces } from '../demo-app.fixture.ts'

// Reads behind the door, where another server may have to begin them again.

const DOOR = '/api/v1/dashboard'
const find = async () => ({
  ...{ workspace: { id: workspaces.acme.workspaceId, slug: 'acme' }, userId: '1', email: 'a@acme.example' },
  ...{ role: 'owner' as const, isOperator: false },
})

let app: App | undefined
afterEach(() => app?.close())

const dashboard = { role: 'member' } as const
/** `handled` counts how often each handler ran, `noted` what was noted, and `marks` what was asked inside of a read. */
const serving = () => {
  const seen = { handled: [] as string[], noted: 0, marks: [] as boolean[], isReading: false }
  const handler = (name: string) => async () => {
    seen.handled.push(`${name}${seen.isReading ? ' in a read' : ''}`)
    return { n: 1 }
  }
  const routes = async (api: App): Promise<void> => {
    api.get('/list', { config: { dashboard } }, handler('list'))
    api.get('/polled', { config: { dashboard: { ...dashboard, reads: ['things'] } } }, handler('polled'))
    api.get('/noted', { config: { dashboard: { ...dashboard, notes: 'export' } } }, handler('noted'))
    api.get('/file', { config: { dashboard, raw: true } }, handler('file'))
    api.get('/primary', { config: { dashboard, onReplicas: false } }, handler('primary'))
    api.post('/write', { config: { dashboard } }, handler('write'))
    api.post('/compute', { config: { dashboard, onReplicas: 'alone' } }, handler('compute'))
  }
  /** Each read is lost once, before it is answered. */
  const readOnce: ReadOnce = async (_request, reply, handle) => {
    seen.isReading = true
    try {
      const first = await handle()
      return reply.sent ? first : await handle()
    } finally {
      seen.isReading = false
    }
  }
  const marks = async () => {
    seen.marks.push(seen.isReading)
    return 'as it is'
  }
  const noteAct = async () => {
    seen.noted++
    return async () => undefined
  }
  app = createApp({
    settings: { rateLimits: { default: 'off', key: 'off', forms: 'off', session: 'off' } },
    authentication: { credentials, sessions: sessionAuthentication({ find, findWorkspace: credentials.findWorkspace, publicUrl: null }) },
  })
  app.register(throughSessionDoor(routes, { marks, noteAct, readOnce }), { prefix: DOOR })
  const ask = (route: string, headers: Readonly<Record<string, string>> = {}) => {
    const [method = '', path = ''] = route.split(' ')
    return app!.inject({
      method: method === 'GET' ? 'GET' : 'POST',
      url: `${DOOR}${path}`,
      headers: { authorization: 'Bearer x', ...headers },
    })
  }
  return { seen, ask }
}

describe('a route behind the door', () => {
  it.each([
    ['GET /list', ['list in a read', 'list in a read']],
    ['GET /file', ['file']],
    ['GET /primary', ['primary']],
    ['POST /write', ['write']],
    ['POST /compute', ['compute in a read', 'compute in a read']],
  ])('%s may run as a read: %j', async (route, handled) => {
    const { seen, ask } = serving()
    expect((await ask(route)).statusCode).toBe(200)
    expect(seen.handled).toEqual(handled)
  })

  it('notes once what it does, however often that is begun', async () => {
    const { seen, ask } = serving()
    expect((await ask('GET /noted')).statusCode).toBe(200)
    expect([seen.noted, seen.handled.length]).toEqual([1, 2])
  })

  it('is asked for its marks where its rows are', async () => {
    const { seen, ask } = serving()
    const { etag } = (await ask('GET /polled')).headers
    expect([seen.marks, seen.handled.length]).toEqual([[true, true], 2])
    expect((await ask('GET /polled', { 'if-none-match': String(etag) })).statusCode).toBe(304)
    expect(seen.handled.length).toBe(2)
  })
})
