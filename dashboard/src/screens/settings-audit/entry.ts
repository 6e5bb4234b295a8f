import { paths } from '../../paths.ts'

/** The screens of things, by the first words of what was done with them. */
const SCREENS: readonly (readonly [RegExp, (slug: string, id: string) => string])[] = [
  [/^Template/, paths.template],
  [/^List|^Contact\w+List$/, paths.list],
  [/^Campaign/, paths.campaign],
  [/^Flow/, paths.flow],
  [/^WebhookEndpoint(?!Deleted)/, paths.webhook],
  [/^ContactErasure/, paths.erasure],
  [/^Contact|^ActivityRecorded$|^(export|proof)$/, paths.profile],
  [/^(Email|Sms)Accepted$|^content$/, paths.message],
]

/** Where a thing is shown; null where no screen shows it. */
export function screenOf(what: string, thing: string, slug: string): string | null {
  return SCREENS.find(([of]) => of.test(what))?.[1](slug, thing) ?? null
}
