import { asContactId, asWorkspaceId, type ContactState, contact } from '@tidings/domain'
import { expect, test } from 'vitest'
import { findContact } from '../../src/messages/find-contact.ts'

const known = { contactId: asContactId('c'), email: 'ada@example.com', phone: null, firstName: 'Ada', lastName: null, customProperties: {} }
const directory = (has: boolean) => ({ contact: async () => (has ? { ...known, emailSuppressions: [], smsSuppressions: [] } : null) })
const log = (state: ContactState) => ({ load: async () => ({ state }) })
const { initialState } = contact
const created = { ...initialState, exists: true, details: { ...initialState.details, firstName: 'Grace' } }

test('a contact is found in the directory, else in the log, else not at all', async () => {
  const names = async (has: boolean, state: ContactState) =>
    (await findContact({ directory: directory(has), commands: log(state) }, asWorkspaceId('w'), asContactId('c')))?.firstName
  expect(await names(true, created)).toBe('Ada')
  expect(await names(false, created)).toBe('Grace')
  expect(await names(false, initialState)).toBeUndefined()
})
