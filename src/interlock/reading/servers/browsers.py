"""The tools of servers that steer a browser."""

from __future__ import annotations

__all__ = ["TOOLS"]

# What runs code, loads or saves cookies, or mocks requests has no row: it is asked about as before.
_PLAYWRIGHT = """
browser_annotate steers
browser_click acts element target ref doubleClick button modifiers
browser_close steers
browser_console_messages looks level all onlyErrors filename:write
browser_drag acts startElement startTarget startRef endElement endTarget endRef
browser_drop acts element target paths:read data
browser_emulate_media steers colorScheme reducedMotion forcedColors contrast media
browser_file_upload acts paths:read
browser_fill_form acts fields
browser_find looks text regex filename:write
browser_generate_locator looks element target ref
browser_handle_dialog acts accept promptText
browser_hide_highlight steers element target
browser_highlight steers element target style
browser_hover acts element target ref
browser_mouse_click_xy acts element x y button clickCount delay
browser_mouse_down acts button
browser_mouse_drag_xy acts element startX startY endX endY
browser_mouse_move_xy acts element x y
browser_mouse_up acts button
browser_mouse_wheel steers deltaX deltaY
browser_navigate opens url:page
browser_navigate_back acts
browser_navigate_forward acts
browser_network_request looks index part filename:write
browser_network_requests looks static includeStatic filter filename:write
browser_pdf_save looks filename:write
browser_press_key acts key
browser_resize steers width height
browser_select_option acts element target ref values
browser_snapshot looks target ref depth boxes filename:write
browser_start_tracing looks
browser_start_video looks filename:write size fps cursor
browser_stop_tracing looks
browser_stop_video looks
browser_tabs opens action index url:page
browser_take_screenshot looks element target ref type filename:write fullPage scale raw
browser_type acts element target ref text submit slowly
browser_verify_element_visible looks role accessibleName
browser_verify_list_visible looks element target ref items
browser_verify_text_visible looks text
browser_verify_value looks type element target ref value
browser_video_chapter looks title description duration
browser_video_hide_actions steers
browser_video_show_actions steers duration position cursor style
browser_wait_for looks time text textGone
"""
_CHROME = """
click acts pageId uid dblClick includeSnapshot
close_page steers pageId pageIdx
drag acts pageId from_uid to_uid includeSnapshot
fill acts pageId uid value includeSnapshot
fill_form acts pageId elements includeSnapshot
get_console_message looks pageId msgid
get_css_styles looks pageId uid pageSize pageIdx
get_network_request looks pageId reqid requestFilePath:write responseFilePath:write
handle_dialog acts pageId action promptText
hover acts pageId uid includeSnapshot
lighthouse_audit acts pageId mode device outputDirPath:folder
list_console_messages looks pageId pageSize pageIdx types includePreservedMessages includeStackTraces serviceWorkerId
list_network_requests looks pageId pageSize pageIdx resourceTypes includePreservedRequests
list_pages looks
navigate_page opens pageId type url:page ignoreCache handleBeforeUnload timeout
new_page opens url:page background isolatedContext timeout
performance_analyze_insight looks pageId insightSetId insightName
performance_start_trace acts pageId reload autoStop ignoreCache filePath:write
performance_stop_trace looks pageId filePath:write
press_key acts pageId key includeSnapshot
resize_page steers pageId width height
screencast_start looks pageId filePath:write
screencast_stop looks pageId
select_page steers pageId pageIdx bringToFront
take_heapsnapshot looks pageId filePath:write
take_screenshot looks pageId format quality uid fullPage filePath:write
take_snapshot looks pageId verbose filePath:write
type_text acts pageId text submitKey
upload_file acts pageId uid filePaths:read filePath:read includeSnapshot
wait_for looks pageId text timeout
"""
_PUPPETEER = """
puppeteer_click acts selector
puppeteer_fill acts selector value
puppeteer_hover acts selector
puppeteer_navigate opens url:page
puppeteer_screenshot looks name selector width height encoded
puppeteer_select acts selector value
"""
TOOLS = {"playwright": _PLAYWRIGHT, "chrome-devtools": _CHROME, "puppeteer": _PUPPETEER}
