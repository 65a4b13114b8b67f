"""The tools of servers that speak to a service."""

from __future__ import annotations

__all__ = ["TOOLS"]

_SEARCH = """
brave_local_search asks query count
brave_web_search asks query count offset
"""
_CONTEXT7 = """
get-library-docs asks context7CompatibleLibraryID topic tokens mode page
query-docs asks libraryId query
resolve-library-id asks query libraryName
"""
_SENTRY = """
create_dsn publishes organizationSlug regionUrl:url projectSlug name
create_project publishes organizationSlug regionUrl:url teamSlug name platform repository
create_team publishes organizationSlug regionUrl:url name
find_organizations asks query
find_projects asks organizationSlug regionUrl:url projectSlug query
find_releases asks organizationSlug regionUrl:url projectSlug query
find_teams asks organizationSlug regionUrl:url query
get_doc asks path
get_event_attachment asks organizationSlug projectSlug eventId attachmentId regionUrl:url
get_issue_tag_values asks organizationSlug regionUrl:url issueId issueUrl:url tagKey
get_profile_details asks profileUrl:url organizationSlug regionUrl:url projectSlugOrId profileId profilerId start \
end focusOnUserCode
get_replay_details asks replayUrl:url organizationSlug replayId regionUrl:url
get_sentry_resource asks url:url resourceType resourceId organizationSlug
search_docs asks query maxResults guide
search_events asks organizationSlug dataset query fields sort projectSlug environment statsPeriod regionUrl:url \
limit includeExplanation
search_issue_events asks organizationSlug issueId issueUrl:url query sort statsPeriod projectSlug regionUrl:url \
limit includeExplanation
search_issues asks organizationSlug query sort projectSlugOrId regionUrl:url limit includeExplanation
update_issue publishes organizationSlug regionUrl:url issueId issueUrl:url status assignedTo ignoreMode \
ignoreDurationMinutes ignoreCount ignoreWindowMinutes ignoreUserCount ignoreUserWindowMinutes reason
update_project publishes organizationSlug regionUrl:url projectSlug name slug platform teamSlug
whoami asks
"""
_SLACK = """
slack_add_reaction tells channel_id timestamp reaction
slack_get_channel_history asks channel_id limit
slack_get_thread_replies asks channel_id thread_ts
slack_get_user_profile asks user_id
slack_get_users asks cursor limit
slack_list_channels asks limit cursor
slack_post_message tells channel_id text
slack_reply_to_thread tells channel_id thread_ts text
"""
TOOLS = {
    "brave-search": _SEARCH,
    "context7": _CONTEXT7,
    "fetch": "fetch does url:url max_length start_index raw",
    "sentry": _SENTRY,
    "slack": _SLACK,
}
