"""The tools of servers for places where code is kept together: issues, reviews, repositories."""

from __future__ import annotations

__all__ = ["TOOLS"]

# Both the older package and the server of the service itself: where they share a name, the arguments of both.
_GITHUB = """
add_comment_to_pending_review publishes owner repo pullNumber path body line side startLine startSide subjectType
add_issue_comment publishes owner repo issue_number body
create_branch publishes owner repo branch from_branch
create_issue publishes owner repo title body assignees milestone labels type
create_or_update_file publishes owner repo path content message branch sha
create_pull_request publishes owner repo title body head base draft maintainer_can_modify
create_pull_request_review publishes owner repo pull_number pullNumber commit_id commitID body event comments
create_repository publishes name description private autoInit organization
delete_file removes owner repo path message branch
fork_repository publishes owner repo organization
get_commit asks owner repo sha include_diff page perPage
get_file_contents asks owner repo path branch ref sha
get_issue asks owner repo issue_number
get_issue_comments asks owner repo issue_number page perPage per_page
get_label asks owner repo name
get_latest_release asks owner repo
get_me asks reason
get_pull_request asks owner repo pull_number pullNumber
get_pull_request_comments asks owner repo pull_number pullNumber
get_pull_request_diff asks owner repo pull_number pullNumber
get_pull_request_files asks owner repo pull_number pullNumber page perPage
get_pull_request_reviews asks owner repo pull_number pullNumber
get_pull_request_status asks owner repo pull_number pullNumber
get_release_by_tag asks owner repo tag
get_tag asks owner repo tag
get_team_members asks org team_slug
get_teams asks user
issue_read asks method owner repo issue_number page perPage
issue_write publishes method owner repo issue_number title body assignees labels milestone type state state_reason \
duplicate_of
list_branches asks owner repo page perPage
list_commits asks owner repo sha author path since until page perPage per_page
list_issue_types asks owner
list_issues asks owner repo state labels sort direction orderBy since page perPage per_page after
list_pull_requests asks owner repo state head base sort direction page perPage per_page
list_releases asks owner repo page perPage
list_tags asks owner repo page perPage
merge_pull_request publishes owner repo pull_number pullNumber commit_title commit_message merge_method
pull_request_read asks method owner repo pullNumber page perPage
pull_request_review_write publishes method owner repo pullNumber body event commitID threadId
push_files publishes owner repo branch files message
search_code asks q query sort order page perPage per_page
search_issues asks q query owner repo sort order page perPage per_page
search_pull_requests asks query owner repo sort order page perPage
search_repositories asks query sort order page perPage minimal_output
search_users asks q query sort order page perPage per_page
update_issue publishes owner repo issue_number title body assignees milestone labels state
update_pull_request publishes owner repo pullNumber title body state draft base maintainer_can_modify reviewers
update_pull_request_branch publishes owner repo pull_number pullNumber expected_head_sha expectedHeadSha
"""
_GITLAB = """
create_branch publishes project_id branch ref
create_issue publishes project_id title description assignee_ids labels milestone_id
create_merge_request publishes project_id title description source_branch target_branch draft allow_collaboration
create_or_update_file publishes project_id file_path content commit_message branch previous_path
create_repository publishes name description visibility initialize_with_readme
fork_repository publishes project_id namespace
get_file_contents asks project_id file_path ref
push_files publishes project_id branch files commit_message
search_repositories asks search page per_page
"""
TOOLS = {"github": _GITHUB, "gitlab": _GITLAB}
