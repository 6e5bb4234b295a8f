import type { App } from '@tidings/http'
import { changePassword } from './account/change-password.route.ts'
import { endOtherSessions } from './account/end-other-sessions.route.ts'
import { endSession } from './account/end-session.route.ts'
import { readAccount } from './account/read-account.route.ts'
import { listAudit } from './audit/list-audit.route.ts'
import { campaignAudience } from './campaigns/campaign-audience.route.ts'
import { campaignFiguresRoute } from './campaigns/campaign-figures.route.ts'
import { configureCampaign } from './campaigns/configure-campaign.route.ts'
import { createCampaign } from './campaigns/create-campaign.route.ts'
import { moveCampaign } from './campaigns/move-campaign.route.ts'
import { previewCampaign } from './campaigns/preview-campaign.route.ts'
import { previewContent } from './campaigns/preview-content.route.ts'
import { readCampaign } from './campaigns/read-campaign.route.ts'
import { testCampaign } from './campaigns/test-campaign.route.ts'
import { createConnector } from './connectors/create-connector.route.ts'
import { listConnectors } from './connectors/list-connectors.route.ts'
import { renewConnectorSecret } from './connectors/renew-secret.route.ts'
import { addCredits } from './credits/add-credits.route.ts'
import { checkCredits } from './credits/check-credits.route.ts'
import { creditUse } from './credits/credit-use.route.ts'
import { listStatement } from './credits/list-statement.route.ts'
import { readCredits } from './credits/read-credits.route.ts'
import { statementCsv } from './credits/statement-csv.route.ts'
import { listLetters } from './dead-letters/list-dead-letters.route.ts'
import { settleDeadLetter } from './dead-letters/settle-dead-letter.route.ts'
import { systemDeadLetters } from './dead-letters/system-dead-letters.route.ts'
import type { DashboardDependencies } from './dependencies.ts'
import { listErasuresRoute } from './erasures/list-erasures.route.ts'
import { readErasureRoute } from './erasures/read-erasure.route.ts'
import { readReceipt } from './erasures/read-receipt.route.ts'
import { declareCustomEvent } from './events/declare-event.route.ts'
import { editCustomEvent } from './events/edit-event.route.ts'
import { readCatalogue } from './events/read-catalogue.route.ts'
import { createCustomField } from './fields/create-field.route.ts'
import { editCustomField } from './fields/edit-field.route.ts'
import { readCustomFields } from './fields/read-fields.route.ts'
import { createFlow } from './flows/create-flow.route.ts'
import { editFlow } from './flows/edit-flow.route.ts'
import { listFlows } from './flows/list-flows.route.ts'
import { moveFlow } from './flows/move-flow.route.ts'
import { readFlow } from './flows/read-flow.route.ts'
import { runsOfPerson } from './flows/runs-of-person.route.ts'
import { tryFlow } from './flows/try-flow.route.ts'
import { createForm } from './forms/create-form.route.ts'
import { editForm } from './forms/edit-form.route.ts'
import { formHistory } from './forms/form-history.route.ts'
import { listForms } from './forms/list-forms.route.ts'
import { previewForm } from './forms/preview-form.route.ts'
import { setFormSettings } from './forms/set-form-settings.route.ts'
import { countRule } from './lists/count-rule.route.ts'
import { createList } from './lists/create-list.route.ts'
import { editList } from './lists/edit-list.route.ts'
import { readList } from './lists/read-list.route.ts'
import { explainMessageRoute } from './messages/explain-message.route.ts'
import { getMessageRecord } from './messages/get-message-record.route.ts'
import { readContent } from './messages/read-content.route.ts'
import { searchMessages } from './messages/search-messages.route.ts'
import { makeExamples } from './overview/make-examples.route.ts'
import { readChecklist } from './overview/read-checklist.route.ts'
import { readFigures } from './overview/read-figures.route.ts'
import { readOverview } from './overview/read-overview.route.ts'
import { changeRole } from './people/change-role.route.ts'
import { invitePerson } from './people/invite-person.route.ts'
import { linkPerson } from './people/link-person.route.ts'
import { listPeople } from './people/list-people.route.ts'
import { removePerson } from './people/remove-person.route.ts'
import { erasePerson } from './profiles/erase-person.route.ts'
import { exportPerson } from './profiles/export-person.route.ts'
import { flowsOfPerson } from './profiles/flows-of-person.route.ts'
import { listsOfPerson } from './profiles/lists-of-person.route.ts'
import { provePerson } from './profiles/prove-person.route.ts'
import { readPast } from './profiles/read-past.route.ts'
import { readTimeline } from './profiles/read-timeline.route.ts'
import { proveWorkspace } from './proofs/prove-workspace.route.ts'
import { readProofs } from './proofs/read-proofs.route.ts'
import { addSenderAddress } from './senders/add-address.route.ts'
import { addSenderDomain } from './senders/add-domain.route.ts'
import { askForSmsSender } from './senders/ask-for-sms-sender.route.ts'
import { askMailbox } from './senders/ask-mailbox.route.ts'
import { checkSenderDomain } from './senders/check-domain.route.ts'
import { chooseDkimKey } from './senders/choose-dkim-key.route.ts'
import { createDkimKey } from './senders/create-dkim-key.route.ts'
import { listSenders } from './senders/list-senders.route.ts'
import { createWorkspace } from './system/create-workspace.route.ts'
import { decideSender } from './system/decide-sender.route.ts'
import { listApprovals } from './system/list-approvals.route.ts'
import { listWorkspaces } from './system/list-workspaces.route.ts'
import { askProjectionJob, systemProjections } from './system/projections.route.ts'
import { readSystem } from './system/read-system.route.ts'
import { readSystemWorkspace } from './system/read-workspace.route.ts'
import { allTags } from './tags/all-tags.route.ts'
import { editTag } from './tags/edit-tag.route.ts'
import { archiveTemplate } from './templates/archive-template.route.ts'
import { checkTemplate } from './templates/check-template.route.ts'
import { createTemplate } from './templates/create-template.route.ts'
import { editTemplate } from './templates/edit-template.route.ts'
import { listLibrary } from './templates/list-library.route.ts'
import { listVersions } from './templates/list-versions.route.ts'
import { previewTemplate } from './templates/preview-template.route.ts'
import { readTemplate } from './templates/read-template.route.ts'
import { readVersion } from './templates/read-version.route.ts'
import { restoreVersion } from './templates/restore-version.route.ts'
import { askForDelivery } from './webhooks/ask-delivery.route.ts'
import { listTries } from './webhooks/list-tries.route.ts'
import { listWatchedWebhooks } from './webhooks/list-watched.route.ts'
import { moveWebhook } from './webhooks/move-webhook.route.ts'
import { readDelivery } from './webhooks/read-delivery.route.ts'
import { readWebhook } from './webhooks/read-webhook.route.ts'
import { signDelivery } from './webhooks/sign-delivery.route.ts'
import { changeGeneral } from './workspace/change-general.route.ts'
import { changeMarketing } from './workspace/change-marketing.route.ts'
import { changePlan } from './workspace/change-plan.route.ts'
import { changeStatus } from './workspace/change-status.route.ts'
import { readWorkspace } from './workspace/read-workspace.route.ts'
import { setReplies } from './workspace/set-replies.route.ts'
import { applyFile } from './workspace-file/apply-file.route.ts'
import { readWorkspaceFile } from './workspace-file/read-file.route.ts'

export type { DashboardDependencies } from './dependencies.ts'

const messages = [searchMessages, getMessageRecord, explainMessageRoute, readContent]
const people = [listPeople, invitePerson, changeRole, linkPerson, removePerson]
const webhooks = [listWatchedWebhooks, readWebhook, moveWebhook, listTries, readDelivery, signDelivery, askForDelivery]
const senders = [
  ...[listSenders, addSenderDomain, checkSenderDomain, createDkimKey, chooseDkimKey],
  ...[addSenderAddress, askMailbox, askForSmsSender],
]
const templates = [
  ...[listLibrary, createTemplate, readTemplate, editTemplate, archiveTemplate],
  ...[listVersions, readVersion, restoreVersion, checkTemplate, previewTemplate],
]
const campaigns = [
  ...[campaignAudience, createCampaign, readCampaign, configureCampaign, moveCampaign],
  ...[previewCampaign, previewContent, testCampaign, campaignFiguresRoute],
]
const lists = [createList, readList, editList, countRule]
const flows = [listFlows, createFlow, readFlow, editFlow, moveFlow, runsOfPerson, tryFlow]
const overview = [readFigures, readOverview, readChecklist, makeExamples]
const profiles = [readTimeline, readPast, listsOfPerson, flowsOfPerson, exportPerson, provePerson, erasePerson]
const erasures = [listErasuresRoute, readErasureRoute, readReceipt]
const proofs = [readProofs, proveWorkspace]
const workspaceRoutes = [
  ...[readWorkspace, changeGeneral, changeMarketing, setReplies, changeStatus, changePlan],
  ...[readWorkspaceFile, applyFile],
]
const account = [readAccount, changePassword, endSession, endOtherSessions]
const credits = [readCredits, listStatement, statementCsv, creditUse, addCredits, checkCredits]
const fields = [readCustomFields, createCustomField, editCustomField, allTags, editTag]
const system = [
  ...[readSystem, listWorkspaces, createWorkspace, readSystemWorkspace, listApprovals, decideSender],
  ...[systemProjections, askProjectionJob],
]
const deadLetters = [listLetters, systemDeadLetters, settleDeadLetter]
const events = [readCatalogue, declareCustomEvent, editCustomEvent]
const connectors = [listConnectors, createConnector, renewConnectorSecret]
const forms = [listForms, createForm, editForm, formHistory, previewForm, setFormSettings]
const rest = [...deadLetters, ...forms, ...events, ...connectors, ...system]
const own = [listAudit, ...rest, ...fields, ...account, ...credits, ...senders, ...flows, ...workspaceRoutes]
const routes = [
  ...overview,
  ...messages,
  ...lists,
  ...people,
  ...profiles,
  ...erasures,
  ...proofs,
  ...templates,
  ...webhooks,
  ...campaigns,
  ...own,
]

/** Every route that only a signed-in person asks, as one plugin; register it through the door of sessions (M72). */
export function dashboardApi(deps: DashboardDependencies) {
  return async (app: App): Promise<void> => {
    for (const route of routes) route(app, deps)
  }
}
