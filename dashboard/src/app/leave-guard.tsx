import { type BlockerFunction, useBlocker } from 'react-router'
import { Confirm } from '../ui/confirm.tsx'
import { AFTER_SAVE, isAnythingUnsaved } from '../ui/use-unsaved.ts'
import { useWords } from '../words/words.tsx'

/** An entry of the history keeps its state: going back to it follows no save. */
const loses: BlockerFunction = ({ currentLocation, nextLocation, historyAction }) =>
  isAnythingUnsaved() &&
  nextLocation.pathname !== currentLocation.pathname &&
  (historyAction === 'POP' || nextLocation.state?.afterSave !== AFTER_SAVE.afterSave)

/** Asks before a link, the back button or a key leaves a form with what somebody typed. */
export function LeaveGuard() {
  const { ui } = useWords()
  const blocker = useBlocker(loses)
  return (
    <Confirm
      opened={blocker.state === 'blocked'}
      title={ui.leaveTitle}
      verb={ui.leave}
      pending={false}
      error={null}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      {ui.notSaved}
    </Confirm>
  )
}
