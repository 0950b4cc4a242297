-- Drives one chat of codecompanion.nvim: asks $PROMPT, presses the key for $LABEL at the first question, prints the buffer.
-- $PLUGINS: a folder with codecompanion.nvim and plenary.nvim; $SETUP: the Lua file that sets the plugin up.
for _, plugin in ipairs({ "plenary.nvim", "codecompanion.nvim" }) do
  vim.opt.rtp:prepend(vim.fs.joinpath(vim.env.PLUGINS, plugin))
end
local asked, finished = false, false
local function on(event, callback)
  vim.api.nvim_create_autocmd("User", { pattern = "CodeCompanion" .. event, callback = callback })
end
on("ToolApprovalRequested", function() asked = true end)
on("ChatDone", function() finished = true end)

local function await(what, holds)
  if not vim.wait(30000, holds, 20) then error("waited in vain until " .. what) end
end

local function drive()
  dofile(vim.env.SETUP)
  local chat = require("codecompanion").chat()
  local function has_session()
    local connection = chat.acp_connection
    return connection and connection:is_ready() and connection.session_id
  end
  await("a session is open", has_session)
  chat:add_buf_message({ role = "user", content = vim.env.PROMPT })
  chat:submit()
  await("the agent asks", function() return asked end)
  vim.api.nvim_set_current_buf(chat.bufnr)
  local key = require("codecompanion.interactions.chat.tools.labels").keymaps()[vim.env.LABEL]
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(key, true, false, true), "x", false)
  await("the turn is over", function() return finished end)
  io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(chat.bufnr, 0, -1, false), "\n"))
end

vim.schedule(function()
  local ok, problem = xpcall(drive, debug.traceback)
  if not ok then io.stderr:write(problem) end
  vim.cmd(ok and "qall!" or "cquit!")
end)
