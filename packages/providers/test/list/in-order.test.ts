import { unlessAborted } from '@tidings/async'
import { describe, expect, test } from 'vitest'
import { inOrder } from '../../src/list/in-order.ts'
import { DeliveryError, type DeliveryFailure, type SendOptions } from '../../src/port.ts'

type FakeState = {
  down: string | null
  fails: DeliveryError | null
  reached: Promise<void> | null
  signal: AbortSignal | null
  got: string[]
  closed: boolean
}

/** A provider that this test answers for. `fails`: how its calls end; `down`: why it is in an outage; `reached`: when it can be spoken to; `signal`: of its last call. */
const provider = (label: string, ...otherNames: readonly string[]) => {
  const state: FakeState = { ...{ down: null, fails: null, reached: null, signal: null }, ...{ got: [], closed: false } }
  return {
    state,
    listed: {
      ...{ label, otherNames, callMs: label.length },
      call: async (message: string, { fence, signal }: SendOptions) => {
        state.signal = signal
        if (state.down !== null) throw new DeliveryError('outage', state.down)
        if (state.reached !== null) await unlessAborted(state.reached, signal)
        if (signal.aborted) throw new DeliveryError('outage', 'it was not reached')
        await fence()
        state.got.push(message)
        if (state.fails !== null) throw state.fails
        return { providerMessageId: `${label} ${message}` }
      },
      outage: () => state.down,
      close: async () => {
        state.closed = true
      },
    },
  }
}

const setUp = () => {
  const [first, second, third] = [provider('a:1', 'a:1#1', 'a:1', 'smtp'), provider('b:22', 'smtp'), provider('c:3', 'smpp')]
  const all = inOrder([first.listed, second.listed, third.listed])
  const chosen: string[] = []
  const stopping = new AbortController()
  const send = (message: string, options: Partial<SendOptions> = {}) =>
    all.call(message, {
      ...{ signal: stopping.signal, fence: () => undefined, priority: 'transactional' },
      chosen: (label) => void chosen.push(label),
      ...options,
    })
  return { ...{ all, first: first.state, second: second.state, third: third.state, chosen, stopping }, send }
}

const failing = (failure: DeliveryFailure) => new DeliveryError(failure, `it says ${failure}`)

describe('of several providers', () => {
  test('the first gets all messages while it can be used', async () => {
    const { send, second, chosen, all } = setUp()
    expect(await send('m')).toEqual({ providerMessageId: 'a:1 m', provider: 'a:1' })
    expect({ got: second.got, chosen }).toEqual({ got: [], chosen: ['a:1'] })
    expect({ name: all.name, callMs: all.callMs }).toEqual({ name: 'a:1', callMs: 4 })
  })

  test('the next gets them during an outage of the first, and the first again as soon as it is over', async () => {
    const { send, first, chosen } = setUp()
    first.down = 'away'
    expect(await send('m')).toMatchObject({ provider: 'b:22' })
    first.down = null
    expect(await send('n')).toMatchObject({ provider: 'a:1' })
    expect(chosen).toEqual(['b:22', 'a:1'])
  })

  test('one whose outage begins with a message passes that message on', async () => {
    const { send, first, second, chosen } = setUp()
    first.fails = new DeliveryError('outage', 'the server refuses the login')
    const sent = send('m', {
      fence: () => {
        first.down = 'the server refuses the login'
        return undefined
      },
    })
    expect(await sent).toMatchObject({ provider: 'b:22' })
    expect({ chosen, got: second.got }).toEqual({ chosen: ['a:1', 'b:22'], got: ['m'] })
  })

  test('a passcode goes on from one that it cannot reach in a second, and other messages wait there', async () => {
    const { send, first, second, chosen } = setUp()
    const reached = Promise.withResolvers<void>()
    first.reached = reached.promise
    const waits = send('n')
    expect(await send('m', { priority: 'passcode' })).toMatchObject({ provider: 'b:22' })
    expect({ chosen, first: first.got, second: second.got }).toEqual({ chosen: ['a:1', 'a:1', 'b:22'], first: [], second: ['m'] })
    reached.resolve()
    expect(await waits).toMatchObject({ provider: 'a:1' })
  })

  test('a passcode waits for the last that can be used as long as its caller does', async () => {
    const { send, first, third, second, stopping } = setUp()
    first.down = third.down = 'away'
    await send('m', { priority: 'passcode' })
    expect(second.signal).toBe(stopping.signal)
  })

  test.each<DeliveryFailure>(['recipient', 'refused', 'temporary', 'unconfirmed'])(
    'none gets what another answered as %s',
    async (failure) => {
      const { send, first, second, third } = setUp()
      first.fails = failing(failure)
      await expect(send('m')).rejects.toMatchObject({ failure })
      expect([...second.got, ...third.got]).toEqual([])
    },
  )

  test('none gets what is refused by its gate', async () => {
    const { send, first, second } = setUp()
    const closed = new Error('the gate is closed')
    await expect(send('m', { fence: () => Promise.reject(closed) })).rejects.toBe(closed)
    expect([...first.got, ...second.got]).toEqual([])
  })

  test('none gets what only this process dropped or stopped', async () => {
    const { send, first, second, stopping } = setUp()
    first.fails = new DeliveryError('outage', 'too many mails of the workspace wait for the mail server')
    await expect(send('m')).rejects.toBe(first.fails)
    const stopped = send('n', {
      fence: () => {
        stopping.abort()
        first.down = 'the provider is being closed'
        return undefined
      },
    })
    await expect(stopped).rejects.toBe(first.fails)
    expect(second.got).toEqual([])
  })

  test('it is an outage where none can be used, and says why of each', async () => {
    const { send, all, first, second, third, chosen } = setUp()
    ;[first.down, second.down] = ['no connection', 'no login']
    expect(all.outage()).toBeNull()
    third.down = 'no bind'
    expect(all.outage()).toBe('a:1: no connection; b:22: no login; c:3: no bind')
    await expect(send('m')).rejects.toMatchObject({ failure: 'outage', message: all.outage() })
    expect(chosen).toEqual([])
  })

  test('a message that one may have goes to that one alone, whichever can be used', async () => {
    const { send, second, first, third } = setUp()
    expect(await send('m', { boundTo: 'b:22' })).toMatchObject({ provider: 'b:22' })
    second.down = 'away'
    await expect(send('n', { boundTo: 'b:22' })).rejects.toMatchObject({ failure: 'outage' })
    expect([...first.got, ...third.got]).toEqual([])
  })

  test('one that events of before name by its kind is found by it, and one that is configured no more is waited for', async () => {
    const { send, third, first, second } = setUp()
    expect(await send('m', { boundTo: 'smpp' })).toMatchObject({ provider: 'c:3' })
    await expect(send('n', { boundTo: 'gone.example:25' })).rejects.toMatchObject({ failure: 'temporary' })
    expect([...first.got, ...second.got, ...third.got]).toEqual(['m'])
  })

  test('a name that one has is no other’s, though the first in the list was called so before', async () => {
    const [first, second] = [provider('x:1#b', 'x:1#b', 'x:1', 'smtp'), provider('x:1', 'x:1#a', 'x:1', 'smtp')]
    const options = { signal: new AbortController().signal, fence: () => undefined, priority: 'marketing' } as const
    const all = inOrder([first.listed, second.listed])
    for (const boundTo of ['x:1', 'x:1#a', 'x:1#b', 'smtp']) await all.call(boundTo, { ...options, boundTo })
    expect([first.state.got, second.state.got]).toEqual([
      ['x:1#b', 'smtp'],
      ['x:1', 'x:1#a'],
    ])
  })

  test('all of them are closed', async () => {
    const { all, first, second, third } = setUp()
    await all.close()
    expect([first, second, third].map(({ closed }) => closed)).toEqual([true, true, true])
  })
})

test('one alone leaves no choice to report, and its outage is its own words', async () => {
  const only = provider('a:1')
  const all = inOrder([only.listed])
  const chosen: string[] = []
  const options = {
    signal: new AbortController().signal,
    fence: () => undefined,
    priority: 'marketing',
    chosen: (label: string) => void chosen.push(label),
  } as const
  expect(await all.call('m', options)).toEqual({ providerMessageId: 'a:1 m', provider: 'a:1' })
  only.state.down = 'no connection'
  expect({ chosen, outage: all.outage() }).toEqual({ chosen: [], outage: 'no connection' })
})
