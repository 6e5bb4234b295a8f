import { createBrowserRouter, type RouteObject } from 'react-router'
import { Crashed, CrashedScreen, Missing, NotFound } from './app/error-pages.tsx'
import { Home } from './app/home.tsx'
import { Root } from './app/root.tsx'
import { Shell } from './app/shell.tsx'
import { SystemShell } from './app/system-shell.tsx'
import { prefix } from './prefix.ts'
import { Loading } from './ui/loading.tsx'

type Router = ReturnType<typeof createBrowserRouter>

const inBrowser = (routes: RouteObject[]): Router => createBrowserRouter(routes, prefix === '' ? {} : { basename: prefix })

/** Every route once; each screen is loaded when it is opened first. `make`: a test makes one without a browser. */
export function createRouter(make: (routes: RouteObject[]) => Router = inBrowser): Router {
  return make([
    {
      Component: Root,
      ErrorBoundary: Crashed,
      HydrateFallback: Loading,
      children: [
        { path: '/dashboard', Component: Home },
        { path: '/dashboard/login', lazy: () => import('./screens/login/login.tsx') },
        { path: '/dashboard/link', lazy: () => import('./screens/login/link.tsx') },
        { path: '/dashboard/password', lazy: () => import('./screens/login/choose-password.tsx') },
        { path: '/dashboard/verify', lazy: () => import('./screens/verify/verify.tsx') },
        { path: '/dev/mailbox', lazy: () => import('./screens/mailbox/mailbox.tsx') },
        { path: '/dev/outbox', lazy: () => import('./screens/mailbox/mailbox.tsx') },
        {
          path: '/dashboard/w/:slug',
          Component: Shell,
          children: [
            {
              ErrorBoundary: CrashedScreen,
              children: [
                { index: true, lazy: () => import('./screens/overview/overview.tsx') },
                { path: 'profiles', lazy: () => import('./screens/profiles/profiles.tsx') },
                { path: 'profiles/:id', lazy: () => import('./screens/profile/profile.tsx') },
                { path: 'messages', lazy: () => import('./screens/messages/messages.tsx') },
                { path: 'messages/:id', lazy: () => import('./screens/message/message.tsx') },
                { path: 'lists', lazy: () => import('./screens/lists/lists.tsx') },
                { path: 'lists/new', lazy: () => import('./screens/list-rule/list-rule.tsx') },
                { path: 'lists/:id', lazy: () => import('./screens/list/list.tsx') },
                { path: 'lists/:id/rule', lazy: () => import('./screens/list-rule/list-rule.tsx') },
                { path: 'templates', lazy: () => import('./screens/templates/templates.tsx') },
                { path: 'templates/:id', lazy: () => import('./screens/template/template.tsx') },
                { path: 'campaigns', lazy: () => import('./screens/campaigns/campaigns.tsx') },
                { path: 'campaigns/new', lazy: () => import('./screens/campaign-form/campaign-form.tsx') },
                { path: 'campaigns/:id', lazy: () => import('./screens/campaign/campaign.tsx') },
                { path: 'campaigns/:id/edit', lazy: () => import('./screens/campaign-form/campaign-form.tsx') },
                { path: 'senders', lazy: () => import('./screens/senders/senders.tsx') },
                { path: 'erasures', lazy: () => import('./screens/erasures/erasures.tsx') },
                { path: 'erasures/:id', lazy: () => import('./screens/erasure/erasure.tsx') },
                { path: 'proofs', lazy: () => import('./screens/proofs/proofs.tsx') },
                { path: 'flows', lazy: () => import('./screens/flows/flows.tsx') },
                { path: 'flows/new', lazy: () => import('./screens/flow-form/flow-form.tsx') },
                { path: 'flows/:id', lazy: () => import('./screens/flow/flow.tsx') },
                { path: 'flows/:id/edit', lazy: () => import('./screens/flow-form/flow-form.tsx') },
                { path: 'webhooks', lazy: () => import('./screens/webhooks/webhooks.tsx') },
                { path: 'webhooks/:id', lazy: () => import('./screens/webhook/webhook.tsx') },
                { path: 'webhooks/:id/:delivery', lazy: () => import('./screens/webhook/delivery.tsx') },
                { path: 'credits', lazy: () => import('./screens/credits/credits.tsx') },
                { path: 'dead-letters', lazy: () => import('./screens/dead-letters/dead-letters.tsx') },
                { path: 'events', lazy: () => import('./screens/events/events.tsx') },
                { path: 'forms', lazy: () => import('./screens/forms/forms.tsx') },
                { path: 'forms/:id', lazy: () => import('./screens/forms/form.tsx') },
                { path: 'me', lazy: () => import('./screens/me/me.tsx') },
                { path: 'settings/people', lazy: () => import('./screens/people/people.tsx') },
                { path: 'settings/workspace', lazy: () => import('./screens/settings-workspace/settings-workspace.tsx') },
                { path: 'settings/fields', lazy: () => import('./screens/settings-fields/fields.tsx') },
                { path: 'settings/tags', lazy: () => import('./screens/settings-tags/tags.tsx') },
                { path: 'settings/connectors', lazy: () => import('./screens/settings-connectors/connectors.tsx') },
                { path: 'settings/audit', lazy: () => import('./screens/settings-audit/audit.tsx') },
                { path: 'settings/file', lazy: () => import('./screens/settings-file/settings-file.tsx') },
                { path: 'settings/tokens', lazy: () => import('./screens/tokens/tokens.tsx') },
                { path: '*', Component: Missing },
              ],
            },
          ],
        },
        {
          path: '/dashboard/system',
          Component: SystemShell,
          children: [
            {
              ErrorBoundary: CrashedScreen,
              children: [
                { index: true, lazy: () => import('./screens/system/system.tsx') },
                { path: 'workspaces', lazy: () => import('./screens/system-workspaces/workspaces.tsx') },
                { path: 'workspaces/:slug', lazy: () => import('./screens/system-workspaces/workspace.tsx') },
                { path: 'projections', lazy: () => import('./screens/system-projections/projections.tsx') },
                { path: 'approvals', lazy: () => import('./screens/system-approvals/approvals.tsx') },
                { path: 'dead-letters', lazy: () => import('./screens/system-dead-letters/dead-letters.tsx') },
                { path: 'audit', lazy: () => import('./screens/system-audit/audit.tsx') },
                { path: 'me', lazy: () => import('./screens/me/me.tsx') },
                { path: '*', Component: Missing },
              ],
            },
          ],
        },
        { path: '*', Component: NotFound },
      ],
    },
  ])
}
