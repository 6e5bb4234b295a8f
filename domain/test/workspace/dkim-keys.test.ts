import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { asWorkspaceId } from '../../src/ids.ts'
import type { WorkspaceEvent } from '../../src/workspace/workspace.events.ts'
import { type WorkspaceCommand, workspace } from '../../src/workspace/workspace.ts'

const { given } = specFor(workspace)
const domain = 'acme.example'
const workspaceCreated: WorkspaceEvent = {
  type: 'WorkspaceCreated',
  data: { workspaceId: asWorkspaceId('w'), slug: 'acme', name: 'Acme', plan: 'pro', country: 'IL', tracking: false },
}
const keyOf = (selector: string) => ({ domain, selector, publicKey: `public ${selector}`, privateKey: `private ${selector}` })
const created = (selector: string): WorkspaceEvent => ({ type: 'DkimKeyCreated', data: keyOf(selector) })
const chosen = (selector: string | null): WorkspaceEvent => ({ type: 'DkimSelectorChosen', data: { domain, selector } })
const choose = (selector: string | null): WorkspaceCommand => ({ type: 'ChooseDkimSelector', data: { domain, selector } })

describe('DKIM keys of a domain', () => {
  it('are made, and sign only once they are chosen', () => {
    given(workspaceCreated)
      .when({ type: 'CreateDkimKey', data: keyOf('one') })
      .thenEvents(created('one'))
    given(workspaceCreated, created('one')).when(choose('one')).thenEvents(chosen('one'))
    given(workspaceCreated, created('one'), chosen('one'), created('two')).when(choose('two')).thenEvents(chosen('two'))
  })

  it('are switched off, and are not there to be switched off', () => {
    given(workspaceCreated, created('one'), chosen('one')).when(choose(null)).thenEvents(chosen(null))
    given(workspaceCreated).when(choose(null)).thenNothing()
  })

  it('must exist to be chosen, for this domain', () => {
    for (const selector of ['one', '__proto__', 'constructor'])
      given(workspaceCreated, { type: 'DkimKeyCreated', data: { ...keyOf('one'), domain: 'b.example' } })
        .when(choose(selector))
        .thenRefused('dkim_key_not_found')
  })

  it('are fifty at most', () => {
    const fifty = Array.from({ length: 50 }, (_, n) => created(`s${n}`))
    given(workspaceCreated, ...fifty)
      .when({ type: 'CreateDkimKey', data: keyOf('one') })
      .thenRefused('dkim_key_limit')
  })
})
