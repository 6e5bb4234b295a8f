import { contact, contactStream } from '@tidings/domain'
import { erasePerson } from '@tidings/service/operations'
import { contactName, namedContact, noContact, type OfContact } from '../operator/existing-contact.ts'
import { sayingWhy } from '../operator/refused.ts'
import { withOperator } from '../operator/with-operator.ts'

/**
 * `tidings contact erase`: asks for the erasure, which is a fact from then on, and returns when it is whole. Killed, it is finished by the
 * service; called again, it clears again what is there, and returns as well.
 */
export function erase(options: OfContact & Readonly<{ json: boolean }>): Promise<void> {
  contactName(options.id)
  return withOperator(options.json, async (operator) => {
    const { workspaceId, contactId } = await namedContact(operator, options)
    const command = { type: 'RequestErasure', data: { contactId } } as const
    const requested = operator.provisioner.execute(workspaceId, contact, contactStream(workspaceId, contactId), command)
    await sayingWhy(requested, { contact_not_found: noContact(options).message })
    const places = await erasePerson(operator.stores, { workspaceId, contactId })
    return {
      json: { id: contactId, places },
      lines: [
        `Contact ${contactId} is erased: the key is destroyed, and neither tables nor answers of the service have anything of the person any more.`,
        ...places.map(({ place, cleared }) => `  ${place.padEnd(28)}${cleared}`),
        'Exports, backups and schemas of analysts are yours to clear: see docs/how-to/forget-a-person.md.',
      ],
    }
  })
}
