import type { MadeLink } from '../api/calls.ts'
import { useWords } from '../words/words.tsx'
import { SecretOnce } from './secret-once.tsx'

/** The link that a person was given, and whether another is on its way by mail. */
export type GivenLink = Readonly<{ email: string; url: string; notMailed: MadeLink['notMailed'] }>

/** Shows the link once. */
export function LinkOnce({ link, onDone }: Readonly<{ link: GivenLink | null; onDone: () => void }>) {
  const { people: words } = useWords()
  return (
    <SecretOnce secret={link?.url ?? null} title={words.linkTitle} help={words.linkHelp} done={words.done} onDone={onDone}>
      {link && <Mailed link={link} />}
    </SecretOnce>
  )
}

function Mailed({ link: { email, notMailed } }: Readonly<{ link: GivenLink }>) {
  const { people: words } = useWords()
  if (notMailed !== null) return <p>{words.notMailed[notMailed.code]}</p>
  return (
    <p>
      {words.mailed} <bdi dir="ltr">{email}</bdi>
    </p>
  )
}
