import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { asWorkspaceId } from '../../src/ids.ts'
import { effectiveDomain } from '../../src/workspace/sender-domains.ts'
import type { WorkspaceEvent } from '../../src/workspace/workspace.events.ts'
import { type WorkspaceCommand, workspace } from '../../src/workspace/workspace.ts'

const { given } = specFor(workspace)
const domain = 'acme.example'
const created: WorkspaceEvent = {
  type: 'WorkspaceCreated',
  data: { workspaceId: asWorkspaceId('w'), slug: 'acme', name: 'Acme', plan: 'pro', country: 'IL', tracking: false },
}
const silent: WorkspaceEvent = { type: 'SenderDomainConfigured', data: { domain, verified: null, blocklisted: null } }
const withToken: WorkspaceEvent = { type: 'SenderDomainTokenIssued', data: { domain, token: 'one' } }
const added = [created, silent, withToken] as const

const dayOf = (day: number): string => new Date(Date.UTC(2026, 10, day, 12)).toISOString()
type Proof = 'found' | 'missing' | 'lost' | null
const checked = (proof: Proof, day: number, listedIn: readonly string[] = []): WorkspaceEvent => ({
  type: 'SenderDomainChecked',
  data: { domain, proof, listedIn, at: dayOf(day) },
})
const check = (proof: 'found' | 'absent' | null, day: number, listedIn: readonly string[] | null = null): WorkspaceCommand => ({
  type: 'RecordDomainCheck',
  data: { domain, proof, listedIn, at: dayOf(day) },
})

describe('a sender domain', () => {
  it('gets one token, whatever is said of it later', () => {
    const configure = (token: string, verified: boolean | null): WorkspaceCommand => ({
      type: 'ConfigureSenderDomain',
      data: { domain, verified, blocklisted: null, token },
    })
    given(created).when(configure('one', null)).thenEvents(silent, withToken)
    given(...added)
      .when(configure('two', null))
      .thenNothing()
    given(...added)
      .when(configure('two', true))
      .thenEvents({ type: 'SenderDomainConfigured', data: { domain, verified: true, blocklisted: null } })
  })

  it('is proved by its record, and an absent one says nothing before', () => {
    given(...added)
      .when(check('absent', 1))
      .thenNothing()
    given(...added)
      .when(check('found', 1))
      .thenEvents(checked('found', 1))
    given(...added, checked('found', 1))
      .when(check('found', 2))
      .thenNothing()
  })

  it('stays proved for three days without its record, and no longer', () => {
    const found = [...added, checked('found', 1)] as const
    given(...found)
      .when(check('absent', 5))
      .thenEvents(checked('missing', 5))
    const missing = [...found, checked('missing', 5)] as const
    given(...missing)
      .when(check('absent', 7))
      .thenNothing()
    given(...missing)
      .when(check('absent', 8))
      .thenEvents(checked('lost', 8))
    given(...missing)
      .when(check('found', 8))
      .thenEvents(checked('found', 8))
    given(...missing, checked('lost', 8))
      .when(check('absent', 9))
      .thenNothing()
    given(...missing, checked('lost', 8))
      .when(check('found', 9))
      .thenEvents(checked('found', 9))
  })

  it('counts the days from the first look-up without it, also when a blocklist changed meanwhile', () => {
    given(...added, checked('found', 1), checked('missing', 5), checked('missing', 7, ['dbl.example']))
      .when(check('absent', 8))
      .thenEvents(checked('lost', 8, ['dbl.example']))
  })

  it('keeps its proof while no server says anything', () => {
    given(...added, checked('found', 1))
      .when(check(null, 20))
      .thenNothing()
    given(...added, checked('found', 1), checked('missing', 5))
      .when(check(null, 20))
      .thenNothing()
  })

  it('is on the blocklists that had it last, in any order, and off them when they say so', () => {
    given(...added)
      .when(check(null, 1, ['uribl.example', 'dbl.example']))
      .thenEvents(checked(null, 1, ['dbl.example', 'uribl.example']))
    const listed = [...added, checked(null, 1, ['dbl.example', 'uribl.example'])] as const
    given(...listed)
      .when(check(null, 2, ['uribl.example', 'dbl.example']))
      .thenNothing()
    given(...listed)
      .when(check(null, 2, null))
      .thenNothing()
    given(...listed)
      .when(check(null, 2, []))
      .thenEvents(checked(null, 2, []))
  })

  it('that was never added is not checked', () => {
    given(created).when(check('found', 1)).thenRefused('sender_domain_not_found')
  })
})

describe('what holds for a domain', () => {
  const unsaid = { verified: null, blocklisted: null, proof: null, listedIn: [] } as const

  it('is the operator’s word, else what DNS said', () => {
    expect(effectiveDomain(unsaid)).toEqual({ verified: false, blocklisted: false })
    expect(effectiveDomain({ ...unsaid, proof: 'found' }).verified).toBe(true)
    expect(effectiveDomain({ ...unsaid, proof: 'missing' }).verified).toBe(true)
    expect(effectiveDomain({ ...unsaid, proof: 'lost' }).verified).toBe(false)
    expect(effectiveDomain({ ...unsaid, proof: 'found', verified: false }).verified).toBe(false)
    expect(effectiveDomain({ ...unsaid, proof: 'lost', verified: true }).verified).toBe(true)
    expect(effectiveDomain({ ...unsaid, listedIn: ['dbl.example'] }).blocklisted).toBe(true)
    expect(effectiveDomain({ ...unsaid, listedIn: ['dbl.example'], blocklisted: false }).blocklisted).toBe(false)
  })
})
