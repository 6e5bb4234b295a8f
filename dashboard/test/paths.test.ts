import { expect, it } from 'vitest'
import { paths, safeBack } from '../src/paths.ts'

/** The map of the dashboard: what stands in bookmarks, mails and tickets. */
it('builds these paths', () => {
  const id = '0192f000-0000-7000-8000-000000000001'
  const all = Object.entries(paths).map(([name, build]) => [name, build('acme', id, id)])
  expect(Object.fromEntries(all)).toMatchInlineSnapshot(`
    {
      "audit": "/dashboard/w/acme/settings/audit",
      "campaign": "/dashboard/w/acme/campaigns/0192f000-0000-7000-8000-000000000001",
      "campaigns": "/dashboard/w/acme/campaigns",
      "choosePassword": "/dashboard/password",
      "connectors": "/dashboard/w/acme/settings/connectors",
      "credits": "/dashboard/w/acme/credits",
      "deadLetters": "/dashboard/w/acme/dead-letters",
      "editCampaign": "/dashboard/w/acme/campaigns/0192f000-0000-7000-8000-000000000001/edit",
      "editFlow": "/dashboard/w/acme/flows/0192f000-0000-7000-8000-000000000001/edit",
      "erasure": "/dashboard/w/acme/erasures/0192f000-0000-7000-8000-000000000001",
      "erasures": "/dashboard/w/acme/erasures",
      "events": "/dashboard/w/acme/events",
      "fields": "/dashboard/w/acme/settings/fields",
      "file": "/dashboard/w/acme/settings/file",
      "flow": "/dashboard/w/acme/flows/0192f000-0000-7000-8000-000000000001?person=0192f000-0000-7000-8000-000000000001",
      "flows": "/dashboard/w/acme/flows",
      "form": "/dashboard/w/acme/forms/0192f000-0000-7000-8000-000000000001",
      "forms": "/dashboard/w/acme/forms",
      "home": "/dashboard",
      "link": "/dashboard/link",
      "list": "/dashboard/w/acme/lists/0192f000-0000-7000-8000-000000000001",
      "listRule": "/dashboard/w/acme/lists/0192f000-0000-7000-8000-000000000001/rule",
      "lists": "/dashboard/w/acme/lists",
      "login": "/dashboard/login?back=acme",
      "mailbox": "/dev/mailbox",
      "me": "/dashboard/w/acme/me",
      "message": "/dashboard/w/acme/messages/0192f000-0000-7000-8000-000000000001",
      "messages": "/dashboard/w/acme/messages",
      "newCampaign": "/dashboard/w/acme/campaigns/new?of=0192f000-0000-7000-8000-000000000001",
      "newFlow": "/dashboard/w/acme/flows/new",
      "newList": "/dashboard/w/acme/lists/new",
      "overview": "/dashboard/w/acme",
      "people": "/dashboard/w/acme/settings/people",
      "profile": "/dashboard/w/acme/profiles/0192f000-0000-7000-8000-000000000001",
      "profiles": "/dashboard/w/acme/profiles",
      "proofs": "/dashboard/w/acme/proofs",
      "senders": "/dashboard/w/acme/senders",
      "system": "/dashboard/system",
      "systemApprovals": "/dashboard/system/approvals",
      "systemAudit": "/dashboard/system/audit",
      "systemDeadLetters": "/dashboard/system/dead-letters",
      "systemMe": "/dashboard/system/me",
      "systemProjections": "/dashboard/system/projections",
      "systemWorkspace": "/dashboard/system/workspaces/acme",
      "systemWorkspaces": "/dashboard/system/workspaces",
      "tags": "/dashboard/w/acme/settings/tags",
      "template": "/dashboard/w/acme/templates/0192f000-0000-7000-8000-000000000001",
      "templates": "/dashboard/w/acme/templates",
      "tokens": "/dashboard/w/acme/settings/tokens",
      "verify": "/dashboard/verify",
      "webhook": "/dashboard/w/acme/webhooks/0192f000-0000-7000-8000-000000000001",
      "webhookDelivery": "/dashboard/w/acme/webhooks/0192f000-0000-7000-8000-000000000001/0192f000-0000-7000-8000-000000000001",
      "webhooks": "/dashboard/w/acme/webhooks",
      "workspace": "/dashboard/w/acme/settings/workspace",
    }
  `)
})

it('keeps what a person typed inside one part of a path', () => {
  expect(paths.profile('a/b', '../x?y#z')).toBe('/dashboard/w/a%2Fb/profiles/..%2Fx%3Fy%23z')
})

it.each([
  ['/dashboard/w/acme/profiles?search=noa', '/dashboard/w/acme/profiles?search=noa'],
  ['/dashboard', '/dashboard'],
  [null, '/dashboard'],
  ['https://evil.example/dashboard', '/dashboard'],
  ['//evil.example/dashboard', '/dashboard'],
  ['/\\evil.example', '/dashboard'],
  ['/dashboard/../api/v1/auth/logout', '/dashboard'],
  ['/dashboard/%2e%2e/%2e%2e/evil', '/dashboard'],
  ['/dashboardx', '/dashboard'],
  ['javascript:alert(1)', '/dashboard'],
  ['/dashboard/login?back=/dashboard/login', '/dashboard'],
  ['/dashboard/link', '/dashboard'],
])('leads back from a sign-in to a page of the dashboard: %s', (back, expected) => {
  expect(safeBack(back)).toBe(expected)
})
