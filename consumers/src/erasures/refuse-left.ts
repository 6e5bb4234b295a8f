import { OperationFailed } from '@tidings/config'
import type { Erasing } from './erasing.ts'
import type { Person } from './person.ts'

/** Clears what was locked before, and throws one sentence where it is still locked: a table that a session reads may still show the person. */
export async function refuseLeft({ locations }: Pick<Erasing, 'locations'>, person: Person): Promise<void> {
  const left: string[] = []
  for (const location of locations) {
    if (location.left === undefined || (await location.left(person)).length === 0) continue
    await location.clear(person)
    left.push(...(await location.left(person)))
  }
  if (left.length === 0) return
  throw new OperationFailed(
    `The key of contact ${person.contactId} is destroyed, and ${left.join(', ')} may still show the person, because a rebuild or a reader uses it: the service drops it when that has ended, and finishes the erasure then. Erase the contact again to see whether it is whole.`,
  )
}
