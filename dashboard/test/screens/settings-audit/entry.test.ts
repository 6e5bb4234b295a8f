import { expect, it } from 'vitest'
import { screenOf } from '../../../src/screens/settings-audit/entry.ts'

it.each([
  ['TemplateContentChanged', '/dashboard/w/acme/templates/x'],
  ['ContactAddedToList', '/dashboard/w/acme/lists/x'],
  ['ContactDetailsChanged', '/dashboard/w/acme/profiles/x'],
  ['ContactErasureRequested', '/dashboard/w/acme/erasures/x'],
  ['export', '/dashboard/w/acme/profiles/x'],
  ['EmailAccepted', '/dashboard/w/acme/messages/x'],
  ['content', '/dashboard/w/acme/messages/x'],
  ['WebhookEndpointPaused', '/dashboard/w/acme/webhooks/x'],
  ['WebhookEndpointDeleted', null],
  ['UserRemoved', null],
])('%s leads to %s', (what, path) => expect(screenOf(what, 'x', 'acme')).toBe(path))
