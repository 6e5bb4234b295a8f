import { onAbort } from '@tidings/async'
import { asWorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { createHttpApi } from '../../src/http-api/http-api.ts'
import type { UnsentRequest } from '../../src/http-api/outcome.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const never: UnsentRequest = { failure: 'outage', response: 'no connection', waitMs: null, status: null, isByCode: false }
const inactive: UnsentRequest = { failure: 'outage', response: 'HTTP 400, 10001', waitMs: null, status: 400, isByCode: true }

test.each([
  ['that never left may be given to another', never, 'outage'],
  ['that the server refused after it was waited for may not', inactive, 'temporary'],
] as const)('a request %s', async (_, outcome, failure) => {
  const [asked, waiting] = [Promise.withResolvers<void>(), new AbortController()]
  const api = createHttpApi<object, object>({
    ...{ connections: 1, carriesPasscodes: true, callMs: 1_000, works: async () => true, groupOf: (to) => to },
    ask: (_request, { withdrawn }) =>
      new Promise((resolve) => {
        if (withdrawn !== undefined) onAbort(withdrawn, () => resolve(outcome))
        asked.resolve()
      }),
  })
  const options = { signal: waiting.signal, fence: () => undefined, priority: 'passcode', endsConnecting: true } as const
  const sent = expect(api.send({ workspaceId, to: '+972501234567', route: 'a' }, options)).rejects.toMatchObject({ failure })
  await asked.promise
  waiting.abort()
  await sent
  await api.close()
})
