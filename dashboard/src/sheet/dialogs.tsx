import { AddCredits } from '../ui/add-credits.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { LinkOnce } from '../ui/given-link.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { refused } from './signs.tsx'

type Props = Readonly<{ onClose: () => void }>

export const DIALOGS = {
  confirm: ({ onClose }: Props) => (
    <Confirm
      opened
      title="Erase for ever"
      verb="Erase for ever"
      word="noa@example.com"
      pending={false}
      error={refused('Somebody was faster.')}
      onConfirm={onClose}
      onClose={onClose}
    >
      Everything about נועה goes, and does not come back.
    </Confirm>
  ),
  'add-credits': ({ onClose }: Props) => <AddCredits opened onClose={onClose} />,
  'given-link': ({ onClose }: Props) => (
    <LinkOnce link={{ email: 'ada@shop.example', url: 'https://tidings.example/dashboard/link#0', notMailed: null }} onDone={onClose} />
  ),
  'secret-once': ({ onClose }: Props) => (
    <SecretOnce secret="secret-of-a-shop" title="The secret" help="It is shown once." done="I have it" onDone={onClose} />
  ),
} as const

export type DialogName = keyof typeof DIALOGS
