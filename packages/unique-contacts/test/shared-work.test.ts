import { Busy } from '@tidings/commands'
import { Unavailable } from '@tidings/event-store'
import { describe, expect, it } from 'vitest'
import { createSharedWork } from '../src/shared-work.ts'

const counted = (outcomes: readonly (string | Error)[]) => {
  let runs = 0
  const work = async (): Promise<string> => {
    const outcome = outcomes[runs++] ?? 'more'
    await Promise.resolve()
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  return { work, runs: () => runs }
}

describe('shared work', () => {
  it('runs once for all who ask meanwhile, and again for who asks later', async () => {
    const { work, runs } = counted(['first', 'second'])
    const share = createSharedWork<string>()
    expect(await Promise.all([share('a', work), share('a', work), share('a', work)])).toEqual(['first', 'first', 'first'])
    expect(await share('a', work)).toBe('second')
    expect(runs()).toBe(2)
  })

  it('runs apart under other keys', async () => {
    const { work } = counted(['first', 'second'])
    const share = createSharedWork<string>()
    expect(await Promise.all([share('a', work), share('b', work)])).toEqual(['first', 'second'])
  })

  it('fails for who ran it, and the others run it themselves', async () => {
    const { work, runs } = counted([new Error('mine'), 'second'])
    const share = createSharedWork<string>()
    const [own, ...others] = await Promise.allSettled([share('a', work), share('a', work), share('a', work)])
    expect(own).toMatchObject({ status: 'rejected', reason: { message: 'mine' } })
    expect(others).toEqual([
      { status: 'fulfilled', value: 'second' },
      { status: 'fulfilled', value: 'second' },
    ])
    expect(runs()).toBe(2)
  })

  it('that cannot be done during an outage fails at once for all who wait, and is tried again for who asks later', async () => {
    const { work, runs } = counted([new Unavailable('the store is away'), Object.assign(new Error('gone'), { code: '57P01' })])
    const share = createSharedWork<string>()
    const ask = () => Promise.allSettled(Array.from({ length: 10 }, () => share('a', work)))
    expect(new Set((await ask()).map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(runs()).toBe(1)
    expect(new Set((await ask()).map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(runs()).toBe(2)
    expect(await share('a', work)).toBe('more')
  })

  it('that is busy for one is busy for all', async () => {
    const { work, runs } = counted([new Busy('contended')])
    const share = createSharedWork<string>()
    const answers = await Promise.allSettled([share('a', work), share('a', work)])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(runs()).toBe(1)
  })
})
